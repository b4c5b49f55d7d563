import type { Stripe } from 'stripe'
import { plans } from '#contract/billing.ts'
import { apiVersion, isResourceMissing } from './client.ts'
import { webhookEvents } from './events.ts'
import { matchesPlan, planNames } from './mapping.ts'

/** Creates the prices that are missing. Returns a line about each, found or created. */
export async function ensurePrices(stripe: Stripe): Promise<string[]> {
  const lines: string[] = []
  for (const plan of planNames) {
    const { lookupKey, amount, interval } = plans[plan]
    const { data } = await stripe.prices.list({ lookup_keys: [lookupKey], active: true })
    const [found] = data
    if (found && !matchesPlan(plan, found)) {
      throw new Error(`${lookupKey} is ${found.id}, which is not ${amount} cents a ${interval}`)
    }
    if (found) {
      lines.push(`${lookupKey} is ${found.id}`)
      continue
    }
    const product = await ensureProduct(stripe)
    const made = await stripe.prices.create(
      {
        product,
        lookup_key: lookupKey,
        currency: 'usd',
        unit_amount: amount,
        recurring: { interval, interval_count: 1 },
        nickname: plan === 'monthly' ? 'Monthly Plan' : 'Yearly Plan',
      },
      { idempotencyKey: `bootstrap:${lookupKey}` },
    )
    lines.push(`${lookupKey} is ${made.id}, made now`)
  }
  return lines
}

/** Has an id of our own, so that it is created only once. */
async function ensureProduct(stripe: Stripe): Promise<string> {
  const id = 'tsr_premium'
  try {
    return (await stripe.products.retrieve(id)).id
  } catch (error) {
    if (!isResourceMissing(error)) throw error
  }
  const params = { id, name: 'Premium Restaurant Plan' }
  return (await stripe.products.create(params, { idempotencyKey: `bootstrap:${id}` })).id
}

/** Creates an endpoint for the API version of our types. Stripe shows its signing secret only this once. */
export async function ensureWebhook(stripe: Stripe, publicUrl: string): Promise<string | null> {
  const url = `${publicUrl}/api/webhooks/stripe`
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 })
  if (data.some((endpoint) => endpoint.url === url && endpoint.api_version === apiVersion)) return null
  const made = await stripe.webhookEndpoints.create({
    url,
    api_version: apiVersion,
    enabled_events: [...webhookEvents],
  })
  return made.secret ?? null
}
