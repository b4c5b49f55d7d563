import type { Plan, SubscriptionSetup } from '#contract/billing.ts'

export type SubscribeState =
  | { step: 'plans' }
  /** The provider is asked for a card form. */
  | { step: 'starting'; plan: Plan }
  | { step: 'payment'; plan: Plan; setup: SubscriptionSetup }
  /** The card is put in, then charged. */
  | { step: 'paying'; plan: Plan; setup: SubscriptionSetup }
  /** A card that is in already is charged: after the bank led back here, or once more. */
  | { step: 'finishing' }

export type SubscribeEvent =
  | { type: 'choose'; plan: Plan }
  | { type: 'started'; setup: SubscriptionSetup }
  | { type: 'no-form' }
  | { type: 'back' }
  | { type: 'pay' }
  /** The same form may be tried again. */
  | { type: 'not-paid' }
  /** The card is used up: another one needs another form. */
  | { type: 'card-spent' }
  | { type: 'finish' }

export const initialSubscribeState: SubscribeState = { step: 'plans' }

/** An event that does not fit the step changes nothing: a second tap, an answer that nobody waits for. */
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
    case 'not-paid':
      if (flow.step === 'finishing') return initialSubscribeState
      return flow.step === 'paying' ? { ...flow, step: 'payment' } : flow
    case 'card-spent':
      return flow.step === 'paying' || flow.step === 'finishing' ? initialSubscribeState : flow
    case 'finish':
      return flow.step === 'plans' ? { step: 'finishing' } : flow
  }
}
