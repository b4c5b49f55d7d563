import { dollars, plans, priceOf } from '#contract/billing.ts'

export const yearlyByMonth = `about ${dollars(Math.round(plans.yearly.amount / 12))}/month`

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
