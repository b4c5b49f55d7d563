import type { SandboxConfirmation, TestCard } from '#contract/billing.ts'
import type { PaymentSetup } from '../../../core/ports.ts'

export type SetupIntent = Omit<PaymentSetup, 'status'> & {
  status: 'requires_payment_method' | 'requires_action' | 'succeeded'
  clientSecret: string
  card: TestCard | null
}

const cardRefusals: Partial<Record<TestCard, string>> = {
  declined: 'Your card was declined.',
  insufficient: 'Your card has insufficient funds.',
}
const bankRefusal =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'

/** Does what Stripe.js and the customer's bank would do, depending on the card. */
export function applyConfirmation(
  setup: SetupIntent,
  { testCard, bankStep }: SandboxConfirmation,
): SetupIntent {
  if (setup.status === 'succeeded') return setup
  const refuse = (problem: string): SetupIntent => ({
    ...setup,
    status: 'requires_payment_method',
    problem,
    card: null,
  })
  const refusal = cardRefusals[testCard]
  if (refusal !== undefined) return refuse(refusal)
  if (testCard === 'sca' && bankStep === undefined) {
    return { ...setup, status: 'requires_action', problem: null, card: testCard }
  }
  if (testCard === 'sca' && (bankStep === 'decline' || setup.status !== 'requires_action'))
    return refuse(bankRefusal)
  return {
    ...setup,
    status: 'succeeded',
    problem: null,
    card: testCard,
    paymentMethodId: setup.id.replace('seti', 'pm'),
  }
}
