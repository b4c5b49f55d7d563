import * as v from 'valibot'
import { SubscriptionStatus } from './accounts/signed-in.ts'
import { keysOf } from './keys-of.ts'
import { Timestamp } from './primitives.ts'

/** Prices in US cents. Both plans share one name in the Admin Portal. */
export const plans = {
  monthly: { amount: 10_000, interval: 'month', lookupKey: 'tsr_premium_monthly_usd_v1' },
  yearly: { amount: 110_000, interval: 'year', lookupKey: 'tsr_premium_yearly_usd_v1' },
} as const
export const planName = 'Premium Restaurant Plan'

export const Plan = v.picklist(keysOf(plans), 'Please choose a plan')
export type Plan = v.InferOutput<typeof Plan>

export const formatDollars = (cents: number): string =>
  `$${(cents / 100).toLocaleString('en-US', { maximumFractionDigits: 2, minimumFractionDigits: cents % 100 ? 2 : 0 })}`

export const PlanChoice = v.object({ planType: Plan })
export type PlanChoice = v.InferOutput<typeof PlanChoice>

const stripeId = (prefix: string, message: string) =>
  v.pipe(v.string(message), v.regex(new RegExp(`^${prefix}_\\w{1,200}$`, 'u'), message))

export const SetupIntentId = stripeId('seti', 'Not a valid payment setup')
const PriceId = stripeId('price', 'Not a valid price')

/** What the provider's card form needs; both are passed on unchanged. */
export const SubscriptionSetup = v.object({ clientSecret: v.string(), priceId: v.string() })
export type SubscriptionSetup = v.InferOutput<typeof SubscriptionSetup>

export const SubscriptionConfirmation = v.object({ setupIntentId: SetupIntentId, priceId: PriceId })
export type SubscriptionConfirmation = v.InferOutput<typeof SubscriptionConfirmation>

/**
 * `status` is the provider's own. With a `clientSecret` the bank requires one more step for the first charge: the
 * browser performs it, then confirms again with the same ids.
 */
export const ConfirmedSubscription = v.object({
  status: v.string(),
  clientSecret: v.optional(v.string()),
})
export type ConfirmedSubscription = v.InferOutput<typeof ConfirmedSubscription>

/** `off`: this installation takes no payments, and every restaurant is active. */
const PaymentProvider = v.picklist(['stripe', 'sandbox', 'off'])
export type PaymentProvider = v.InferOutput<typeof PaymentProvider>

/** Stripe's publishable key; null with any other provider. */
export const PaymentConfig = v.object({
  provider: PaymentProvider,
  publishableKey: v.nullable(v.string()),
})
export type PaymentConfig = v.InferOutput<typeof PaymentConfig>

/** Problems that the owner should act on. */
export const subscriptionNotices = {
  incomplete: 'Your first payment has not gone through. Please confirm it or use another card.',
  past_due: 'Your last payment failed. Please update your card to keep your subscription.',
  unpaid: 'Your subscription is unpaid. Please update your card to use it again.',
  paused: 'Your subscription is paused.',
  ended: 'Your subscription has ended.',
} as const
export const SubscriptionNotice = v.picklist(keysOf(subscriptionNotices))
export type SubscriptionNotice = v.InferOutput<typeof SubscriptionNotice>

/** What the owner can do now; anything else is refused with 409. */
export const SubscriptionAction = v.picklist(['subscribe', 'cancel', 'resume', 'change-plan', 'portal'])
export type SubscriptionAction = v.InferOutput<typeof SubscriptionAction>

export const Subscription = v.object({
  provider: PaymentProvider,
  /** The product's own term, as in Subscription Status. */
  subscriptionStatus: SubscriptionStatus,
  /** The provider's status; null if there has never been a subscription. */
  status: v.nullable(v.string()),
  plan: v.nullable(Plan),
  /** The plan from `currentPeriodEnd` on; null if it stays the same. */
  nextPlan: v.nullable(Plan),
  /** When the next charge is due, or when the subscription ends if it was cancelled. */
  currentPeriodEnd: v.nullable(Timestamp),
  cancelAtPeriodEnd: v.boolean(),
  notice: v.nullable(SubscriptionNotice),
  actions: v.array(SubscriptionAction),
  /** For confirming an `incomplete` subscription again. */
  unfinished: v.nullable(SubscriptionConfirmation),
  /** It was to be fresh, but the provider did not answer: this is what was known before. */
  outOfDate: v.optional(v.literal(true)),
})
export type Subscription = v.InferOutput<typeof Subscription>

export const PortalLink = v.object({ url: v.string() })
export type PortalLink = v.InferOutput<typeof PortalLink>

/** The sandbox's test cards. The browser replaces their numbers with these names and never sends them. */
export const testCards = {
  ok: '4242424242424242',
  declined: '4000000000000002',
  insufficient: '4000000000009995',
  sca: '4000002500003155',
  charge_fails: '4000000000000341',
  /** Chosen next to the form: the first charge succeeds, every later one fails. */
  renew_fails: null,
} as const
export const testCardsOnlyMessage = 'Test cards only. Never type a real card'
export const TestCard = v.picklist(keysOf(testCards), testCardsOnlyMessage)
export type TestCard = v.InferOutput<typeof TestCard>

/** The test card with these digits; undefined for any other number, which must not be sent anywhere. */
export function testCardOf(digits: string): TestCard | undefined {
  const number = digits.replace(/[\s-]/gu, '')
  return keysOf(testCards).find((card) => testCards[card] === number)
}

export const SandboxConfirmation = v.object({
  clientSecret: v.pipe(v.string(), v.maxLength(400)),
  testCard: TestCard,
  /** The choice made in the bank's dialog after `requires_action`. */
  bankStep: v.optional(v.picklist(['approve', 'decline'])),
})
export type SandboxConfirmation = v.InferOutput<typeof SandboxConfirmation>

export const SandboxSetup = v.object({ status: v.picklist(['succeeded', 'requires_action']) })
export type SandboxSetup = v.InferOutput<typeof SandboxSetup>
