import type { Stripe } from 'stripe'
import { type Plan, plans } from '#contract/billing.ts'
import type { Log } from '../../../ports/monitoring.ts'
import { providerUnavailable, type StripeCalls } from './client.ts'
import { matchesPlan, planNames } from './mapping.ts'

/** How long verified prices are trusted. */
const cacheMs = 10 * 60_000

export type FindPrices = () => Promise<Record<Plan, string>>

/** Finds the ids of the plans' prices, and refuses if the amounts at Stripe differ from the plans'. */
export function createPriceFinder(
  stripe: Stripe,
  { call }: StripeCalls,
  { now, log }: { now: () => number; log: Log },
): FindPrices {
  let cached: { prices: Record<Plan, string>; until: number } | undefined

  return async () => {
    if (cached && cached.until > now()) return cached.prices
    const { data } = await call(() =>
      stripe.prices.list({ lookup_keys: planNames.map((plan) => plans[plan].lookupKey), active: true }),
    )
    const [monthly, yearly] = planNames.map((plan) => data.find((price) => matchesPlan(plan, price)))
    if (!monthly || !yearly) {
      log.error(
        { found: data.map(({ id }) => id) },
        'The prices at Stripe are not those of the plans: run npm run billing:bootstrap',
      )
      throw providerUnavailable('Plans cannot be bought right now. Please try again later.')
    }
    cached = { prices: { monthly: monthly.id, yearly: yearly.id }, until: now() + cacheMs }
    return cached.prices
  }
}
