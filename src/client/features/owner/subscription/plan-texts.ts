import { type Plan, plans } from '#contract/billing.ts'
import { formatMoney, formatPrice } from '../../../api/prices.ts'
import { t } from '../../../lib/texts/translate.ts'

export const yearlyByMonth = (): string =>
  t('about {price}/month', { price: formatMoney(Math.round(plans.yearly.amount / 12)) })

export const sandboxBanner = 'SANDBOX - no real charges'

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
const terms = { monthly: '{price} - Cancel anytime', yearly: '{price} - 1 Month Free' } as const
export const paymentTerms = (plan: Plan): string => t(terms[plan], { price: formatPrice(plan) })
