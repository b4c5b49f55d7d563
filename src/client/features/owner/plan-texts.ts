import { formatDollars, plans, formatPrice } from '#contract/billing.ts'

export const yearlyByMonth = `about ${formatDollars(Math.round(plans.yearly.amount / 12))}/month`

export const sandboxBanner = 'SANDBOX - no real charges'

export const planTitles = { monthly: 'Monthly Plan', yearly: 'Yearly Plan' } as const
export const chooseLabels = { monthly: 'Choose Monthly', yearly: 'Choose Yearly' } as const

const sharedFeatures = [
  'Unlimited QR code access',
  'Real-time service requests',
  'Crew dashboard access',
  'Management portal',
  'Analytics dashboard',
]
export const planFeatures = {
  monthly: [...sharedFeatures, 'Cancel anytime'],
  yearly: [...sharedFeatures, '1 month free'],
} as const

export const paymentTitles = { monthly: 'Monthly Subscription', yearly: 'Yearly Subscription' } as const
export const paymentTerms = {
  monthly: `${formatPrice('monthly')} - Cancel anytime`,
  yearly: `${formatPrice('yearly')} - 1 Month Free`,
} as const
