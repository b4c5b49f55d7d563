import { type Plan, plans } from '#contract/billing.ts'

const dollars = (cents: number): string =>
  `$${(cents / 100).toLocaleString('en-US', { maximumFractionDigits: 2, minimumFractionDigits: cents % 100 ? 2 : 0 })}`

/** Such as $1,100/year. */
export const priceOf = (plan: Plan): string => `${dollars(plans[plan].amount)}/${plans[plan].interval}`

export const yearlyByMonth = `about ${dollars(Math.round(plans.yearly.amount / 12))}/month`

/** Who takes the payments here, as the page itself says: known at once, and without a sign-in. */
export const paymentsBy = (): string | undefined => document.documentElement.dataset['payments']
export const sandboxBanner = 'SANDBOX - no real charges'

export const planTitle = { monthly: 'Monthly Plan', yearly: 'Yearly Plan' } as const
export const chooseLabel = { monthly: 'Choose Monthly', yearly: 'Choose Yearly' } as const

const both = [
  'Unlimited QR code access',
  'Real-time service requests',
  'Crew dashboard access',
  'Management portal',
  'Analytics dashboard',
]
export const planFeatures = {
  monthly: [...both, 'Cancel anytime'],
  yearly: [...both, '1 month free'],
} as const

export const paymentTitle = { monthly: 'Monthly Subscription', yearly: 'Yearly Subscription' } as const
export const paymentTerms = {
  monthly: `${priceOf('monthly')} - Cancel anytime`,
  yearly: `${priceOf('yearly')} - 1 Month Free`,
} as const
