import { formatDollars, type Plan, plans } from '#contract/billing.ts'
import { formatNumber } from '../lib/texts/format.ts'
import { t } from '../lib/texts/translate.ts'
import { pageLocale } from '../lib/time/dates.ts'

/** As specified in English, otherwise in the page's own way. */
export const formatMoney = (cents: number): string =>
  pageLocale().startsWith('en')
    ? formatDollars(cents)
    : formatNumber(cents / 100, {
        style: 'currency',
        currency: 'USD',
        minimumFractionDigits: cents % 100 ? 2 : 0,
      })

export const planTitles = { monthly: 'Monthly Plan', yearly: 'Yearly Plan' } as const
export const priceTexts = { monthly: '{price}/month', yearly: '{price}/year' } as const

/** Such as $1,100/year. */
export const formatPrice = (plan: Plan): string =>
  t(priceTexts[plan], { price: formatMoney(plans[plan].amount) })
