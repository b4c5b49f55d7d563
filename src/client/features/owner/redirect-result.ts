import * as v from 'valibot'
import { SubscriptionConfirmation } from '#contract/billing.ts'

export type RedirectResult = { confirmation: SubscriptionConfirmation; succeeded: boolean }

/** What the bank's page leads back to /subscribe with, if this address is such a return. */
export function parseRedirectResult(search: string): RedirectResult | null {
  const query = new URLSearchParams(search)
  const found = v.safeParse(SubscriptionConfirmation, {
    setupIntentId: query.get('setup_intent'),
    priceId: query.get('price'),
  })
  if (!found.success) return null
  return {
    confirmation: found.output,
    succeeded: (query.get('redirect_status') ?? 'succeeded') === 'succeeded',
  }
}
