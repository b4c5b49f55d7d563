import type { Plan, SubscriptionSetup } from '#contract/billing.ts'

export type SubscribeState =
  | { step: 'plans' }
  /** The card form is being requested from the provider. */
  | { step: 'starting'; plan: Plan }
  | { step: 'payment'; plan: Plan; setup: SubscriptionSetup }
  /** The card is being confirmed, then charged. */
  | { step: 'paying'; plan: Plan; setup: SubscriptionSetup; checking?: boolean }
  /** A confirmed card is being charged: after the bank's redirect, or on a retry. */
  | { step: 'finishing'; checking?: boolean }

export type SubscribeEvent =
  | { type: 'choose'; plan: Plan }
  | { type: 'started'; setup: SubscriptionSetup }
  | { type: 'no-form' }
  | { type: 'back' }
  | { type: 'pay' }
  /** The answer was lost, and nobody can say yet whether the card was charged. */
  | { type: 'check' }
  /** The same form can be submitted again. */
  | { type: 'not-paid' }
  /** The setup is used up: another card needs a new form. */
  | { type: 'card-spent' }
  | { type: 'finish' }

export const initialSubscribeState: SubscribeState = { step: 'plans' }

/** Events that do not fit the step are ignored, such as a second tap or an outdated response. */
export function subscribeReducer(flow: SubscribeState, event: SubscribeEvent): SubscribeState {
  switch (event.type) {
    case 'choose':
      return flow.step === 'plans' ? { step: 'starting', plan: event.plan } : flow
    case 'started':
      return flow.step === 'starting' ? { ...flow, step: 'payment', setup: event.setup } : flow
    case 'no-form':
      return flow.step === 'starting' || flow.step === 'payment' ? initialSubscribeState : flow
    case 'back':
      return flow.step === 'payment' ? initialSubscribeState : flow
    case 'pay':
      return flow.step === 'payment' ? { ...flow, step: 'paying' } : flow
    case 'check':
      return flow.step === 'paying' || flow.step === 'finishing' ? { ...flow, checking: true } : flow
    case 'not-paid':
      if (flow.step === 'finishing') return initialSubscribeState
      return flow.step === 'paying' ? { step: 'payment', plan: flow.plan, setup: flow.setup } : flow
    case 'card-spent':
      return flow.step === 'paying' || flow.step === 'finishing' ? initialSubscribeState : flow
    case 'finish':
      return flow.step === 'plans' ? { step: 'finishing' } : flow
  }
}
