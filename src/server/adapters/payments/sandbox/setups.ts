import type { SandboxConfirmation, SandboxSetup, TestCard } from '#contract/billing.ts'
import { notFound, Refusal } from '../../../core/errors.ts'
import type { PaymentSetup } from '../../../ports/payments.ts'
import type { Secrets } from '../../../ports/secrets.ts'
import type { Emit } from './events.ts'
import { deterministicId, type SandboxObjects } from './objects.ts'

type SetupIntent = Omit<PaymentSetup, 'customerId' | 'status'> & {
  customerId: string
  status: 'requires_payment_method' | 'requires_action' | 'succeeded'
  clientSecret: string
  card: TestCard | null
}

type NewSetup = { customerId: string; restaurantId: string; priceId: string; attemptId: string }

export class SandboxSetups {
  #objects: SandboxObjects
  #secrets: Secrets
  #emit: Emit

  constructor(objects: SandboxObjects, secrets: Secrets, emit: Emit) {
    this.#objects = objects
    this.#secrets = secrets
    this.#emit = emit
  }

  async create({
    customerId,
    restaurantId,
    priceId,
    attemptId,
  }: NewSetup): Promise<{ id: string; clientSecret: string }> {
    const id = deterministicId(this.#secrets, 'seti', attemptId)
    const secret = this.#secrets.newToken().replace(/\W/gu, '')
    const setup: SetupIntent = {
      id,
      customerId,
      restaurantId,
      priceId,
      attemptId,
      status: 'requires_payment_method',
      problem: null,
      paymentMethodId: null,
      clientSecret: `${id}_secret_${secret}`,
      card: null,
    }
    await this.#objects.insert('setup_intent', setup)
    const { clientSecret } = await this.#getOrThrow(id)
    return { id, clientSecret }
  }

  get(id: string): Promise<SetupIntent | undefined> {
    return this.#objects.get<SetupIntent>(id)
  }

  /** The card of a setup that succeeded. */
  async getCard(id: string): Promise<TestCard> {
    const { card } = await this.#getOrThrow(id)
    if (card === null) throw cardDeclined()
    return card
  }

  async confirm(id: string, confirmation: SandboxConfirmation): Promise<SandboxSetup> {
    const before = await this.#getOrThrow(id)
    if (!this.#secrets.equal(before.clientSecret, confirmation.clientSecret)) throw notFound(objectName)
    const setup = await this.#objects.update<SetupIntent>(id, objectName, (current) =>
      applyConfirmation(current, confirmation),
    )
    const { status, problem } = setup
    if (status === 'requires_payment_method') {
      await this.#emit(['setup_intent.setup_failed'], setup)
      throw cardDeclined(problem)
    }
    if (status === 'succeeded' && before.status !== 'succeeded')
      await this.#emit(['setup_intent.succeeded'], setup)
    return { status }
  }

  #getOrThrow(id: string): Promise<SetupIntent> {
    return this.#objects.getOrThrow<SetupIntent>(id, objectName)
  }
}

const objectName = 'Payment setup'

const declinedMessage = 'Your card was declined.'

export const cardDeclined = (problem: string | null = null): Refusal =>
  new Refusal('payment_required', problem ?? declinedMessage)

const cardRefusals: Partial<Record<TestCard, string>> = {
  declined: declinedMessage,
  insufficient: 'Your card has insufficient funds.',
}
const bankRefusal =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'

/** Does what Stripe.js and the customer's bank would do, depending on the card. */
function applyConfirmation(setup: SetupIntent, { testCard, bankStep }: SandboxConfirmation): SetupIntent {
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
