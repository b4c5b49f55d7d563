import type { Plan, SandboxConfirmation, SandboxSetup } from '#contract/billing.ts'

/** The set-up of a card, as the provider has it. */
export type PaymentSetup = {
  id: string
  customerId: string | null
  /** From the metadata that we stored with it. */
  restaurantId: string | null
  priceId: string | null
  attemptId: string | null
  /** The provider's status; `succeeded` when the card can be charged. */
  status: string
  /** Why it has not succeeded: the provider's message for users. */
  problem: string | null
  paymentMethodId: string | null
}

/** A subscription as the provider had it at the time of the call. */
export type SubscriptionSnapshot = {
  id: string
  customerId: string
  /** The provider's status. An unknown one counts as not active. */
  status: string
  plan: Plan
  priceId: string
  nextPlan: Plan | null
  currentPeriodEnd: number | null
  cancelAtPeriodEnd: boolean
  createdAt: number
  /** The set-up of the attempt it was created for. */
  setupIntentId: string | null
}

/** `clientSecret` is set when the customer's bank must confirm the first charge. */
export type ChargeResult = { snapshot: SubscriptionSnapshot; clientSecret: string | null }

/** What a webhook is about. */
export type WebhookEvent = {
  id: string
  type: string
  objectId: string
  customerId: string | null
  livemode: boolean
}

/**
 * The payment provider. Throws `Refusal`: `payment_required` with the provider's message when a card is declined,
 * `unavailable` when it does not answer. Every call is idempotent.
 */
export type PaymentProvider = {
  provider: 'stripe' | 'sandbox'
  /** Identifies the set of customers and subscriptions: test mode has its own. */
  ledger: string
  publishableKey: string | null
  /** The two price ids. Refuses when they do not match what the plans cost. */
  prices(): Promise<Record<Plan, string>>
  /** `replaces` is the customer that was deleted at the provider. */
  createCustomer(customer: {
    restaurantId: string
    name: string
    email: string | null
    replaces: string | null
  }): Promise<string>
  hasCustomer(customerId: string): Promise<boolean>
  /** Does nothing if the customer was deleted at the provider. */
  setCustomerEmail(customerId: string, email: string): Promise<void>
  createSetup(wanted: {
    customerId: string
    restaurantId: string
    plan: Plan
    priceId: string
    attemptId: string
  }): Promise<{ id: string; clientSecret: string }>
  /** Undefined when the set-up does not exist. */
  setup(id: string): Promise<PaymentSetup | undefined>
  /** All subscriptions that the customer has ever had. */
  subscriptions(customerId: string): Promise<SubscriptionSnapshot[]>
  subscription(id: string): Promise<ChargeResult>
  /** Charges the card of the set-up for the first time; the status is `incomplete` if that fails. */
  subscribe(wanted: {
    customerId: string
    restaurantId: string
    plan: Plan
    setup: PaymentSetup & { priceId: string }
  }): Promise<ChargeResult>
  /** Ends the subscription immediately. */
  end(subscriptionId: string): Promise<void>
  cancelAtPeriodEnd(subscriptionId: string): Promise<SubscriptionSnapshot>
  resume(subscriptionId: string): Promise<SubscriptionSnapshot>
  /** To yearly: at once. To monthly: at the end of the period. To the current plan: cancels a pending change. */
  changePlan(subscriptionId: string, plan: Plan): Promise<SubscriptionSnapshot>
  /** The provider's page for cards and invoices. */
  portal(customerId: string): Promise<string>
  /** Refuses an event that the provider did not sign within the last 5 minutes; null for irrelevant events. */
  readEvent(raw: Uint8Array, signature: string): WebhookEvent | null
  /** Only in the sandbox. */
  sandbox: {
    confirm(setupIntentId: string, confirmation: SandboxConfirmation): Promise<SandboxSetup>
    /** Moves the customer's clock to just after the next renewal. */
    advance(customerId: string): Promise<void>
  } | null
}
