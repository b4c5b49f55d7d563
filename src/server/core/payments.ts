import type { Plan, SandboxConfirmation, SandboxSetup } from '#contract/billing.ts'

/** A card that is being put in, as the provider has it. */
export type Setup = {
  id: string
  customerId: string | null
  /** What we wrote on it when it was made. */
  restaurantId: string | null
  priceId: string | null
  attemptId: string | null
  /** The provider's word; `succeeded` when the card may be charged. */
  status: string
  /** Why it has not succeeded, in the provider's words for people. */
  problem: string | null
  paymentMethodId: string | null
}

/** A subscription as the provider had it when it was asked. */
export type Snapshot = {
  id: string
  customerId: string
  /** The provider's word. One that we do not know counts as not active. */
  status: string
  plan: Plan
  priceId: string
  nextPlan: Plan | null
  currentPeriodEnd: number | null
  cancelAtPeriodEnd: boolean
  createdAt: number
  /** Of the attempt it was made for. */
  setupIntentId: string | null
}

/** `clientSecret`: the first charge needs a step of the customer's bank. */
export type Charged = { snapshot: Snapshot; clientSecret: string | null }

/** What a webhook is about. */
export type PaymentNews = {
  id: string
  type: string
  objectId: string
  customerId: string | null
  livemode: boolean
}

/**
 * The payment provider. Throws `Refusal`: `payment_required` with the provider's words when a card is refused,
 * `unavailable` when it does not answer. Every call may be repeated: what it makes, it makes once.
 */
export type Payments = {
  provider: 'stripe' | 'sandbox'
  /** Names the books that customers and subscriptions are in: test mode has its own. */
  ledger: string
  publishableKey: string | null
  /** The two prices, verified to be what the plans cost; refuses when they are not. */
  prices(): Promise<Record<Plan, string>>
  /** `replaces`: the customer that was deleted there. */
  createCustomer(customer: {
    restaurantId: string
    name: string
    email: string | null
    replaces: string | null
  }): Promise<string>
  hasCustomer(customerId: string): Promise<boolean>
  createSetup(wanted: {
    customerId: string
    restaurantId: string
    plan: Plan
    priceId: string
    attemptId: string
  }): Promise<{ id: string; clientSecret: string }>
  /** Nothing when there is no such setup. */
  setup(id: string): Promise<Setup | undefined>
  /** All that the customer ever had. */
  subscriptions(customerId: string): Promise<Snapshot[]>
  subscription(id: string): Promise<Charged>
  /** Charges the card of the setup for the first time; `incomplete` when that fails. */
  subscribe(wanted: {
    customerId: string
    restaurantId: string
    plan: Plan
    setup: Setup & { priceId: string }
  }): Promise<Charged>
  /** Ends it at once. */
  end(subscriptionId: string): Promise<void>
  cancelAtPeriodEnd(subscriptionId: string): Promise<Snapshot>
  resume(subscriptionId: string): Promise<Snapshot>
  /** At once to the yearly plan, at the end of the period to the monthly one; back to the present one: neither. */
  changePlan(subscriptionId: string, plan: Plan): Promise<Snapshot>
  /** A page of the provider's where cards are changed and invoices lie. */
  portal(customerId: string): Promise<string>
  /** Refuses what the provider has not signed within the last 5 minutes; null for what does not concern us. */
  readEvent(raw: Uint8Array, signature: string): PaymentNews | null
  /** What only the sandbox can do. */
  sandbox: {
    confirm(setupIntentId: string, confirmation: SandboxConfirmation): Promise<SandboxSetup>
    /** Moves the customer's clock to just after the next renewal. */
    advance(customerId: string): Promise<void>
  } | null
}
