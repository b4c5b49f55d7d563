import { ensurePrices, ensureWebhook } from '../adapters/payments/stripe/bootstrap.ts'
import { createStripeClient } from '../adapters/payments/stripe/client.ts'
import { type BillingBootstrap, readBillingBootstrap } from '../config.ts'
import { CommandError, type Outcome } from './output.ts'

/** Each part is made only if it is not there yet. */
export async function bootstrapBilling(
  { secretKey, publicUrl, api }: BillingBootstrap = readBillingBootstrap(),
): Promise<Outcome> {
  if (secretKey === null) throw new CommandError('Please set STRIPE_SECRET_KEY')
  const stripe = createStripeClient({ secretKey, ...(api && { api }) })
  try {
    const prices = await ensurePrices(stripe)
    const webhook =
      publicUrl === null ? null : { url: publicUrl, secret: await ensureWebhook(stripe, publicUrl) }
    return { text: [...prices, describeWebhook(webhook)].join('\n'), json: { prices, webhook } }
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  }
}

function describeWebhook(webhook: { url: string; secret: string | null } | null): string {
  if (webhook === null) return 'No webhook was made: it needs PUBLIC_URL=https://…'
  const { url, secret } = webhook
  return secret === null
    ? `The webhook of ${url} is there already`
    : `The webhook is made. Its secret is shown this once: STRIPE_WEBHOOK_SECRET=${secret}`
}
