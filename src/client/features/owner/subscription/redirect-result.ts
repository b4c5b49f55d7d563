import * as v from 'valibot'
import { SubscriptionConfirmation } from '#contract/billing.ts'

export type RedirectResult = { confirmation: SubscriptionConfirmation; succeeded: boolean }

/** The result in the address with which the bank's page redirects to /subscribe; null for any other address. */
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
