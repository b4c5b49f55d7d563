import { ensureWebhook, ensurePrices } from '../src/server/adapters/payments/stripe/bootstrap.ts'
import { createStripeClient } from '../src/server/adapters/payments/stripe/client.ts'

/**
 * Creates the two prices at Stripe, once, and the webhook endpoint for the API version that the server uses:
 *   STRIPE_SECRET_KEY=sk_test_… npm run billing:bootstrap
 *   STRIPE_SECRET_KEY=sk_test_… PUBLIC_URL=https://tables.example.com npm run billing:bootstrap
 */
const secretKey = process.env['STRIPE_SECRET_KEY']?.trim()
const publicUrl = process.env['PUBLIC_URL']?.trim().replace(/\/$/u, '')

if (!secretKey) {
  console.error('Please set STRIPE_SECRET_KEY')
  process.exit(1)
}
try {
  const stripe = createStripeClient({ secretKey })
  for (const line of await ensurePrices(stripe)) console.log(line)
  if (publicUrl?.startsWith('https:')) {
    const secret = await ensureWebhook(stripe, publicUrl)
    console.log(
      secret === null
        ? `The webhook of ${publicUrl} is there already`
        : `The webhook is made. Its secret is shown this once: STRIPE_WEBHOOK_SECRET=${secret}`,
    )
  } else {
    console.log('No webhook was made: it needs PUBLIC_URL=https://…')
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
