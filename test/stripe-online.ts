import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ensurePrices } from '../src/server/adapters/payments/stripe/bootstrap.ts'
import { createStripeClient } from '../src/server/adapters/payments/stripe/client.ts'
import { createStripePayments } from '../src/server/adapters/payments/stripe/payments.ts'

/**
 * The one check that needs the network, and a test key: STRIPE_TEST_SECRET_KEY=sk_test_… npm run test:stripe-online
 * Subscribes with a valid card on one of Stripe's test clocks, replaces it with one whose charges fail, and
 * advances past the renewal.
 */
const secretKey = process.env['STRIPE_TEST_SECRET_KEY'] ?? ''
if (!secretKey.startsWith('sk_test_')) throw new Error('STRIPE_TEST_SECRET_KEY must begin with sk_test_')

const day = 86_400
const stripe = createStripeClient({ secretKey })
const payments = createStripePayments(
  { secretKey, publishableKey: '', webhookSecrets: [] },
  { now: Date.now, publicUrl: 'https://tables.example', log: console },
)

await ensurePrices(stripe)
const began = Math.floor(Date.now() / 1000)
const clock = await stripe.testHelpers.testClocks.create({ frozen_time: began, name: 'renewal fails' })
try {
  const restaurantId = randomUUID()
  const metadata = { restaurant_id: restaurantId }
  const { id: customerId } = await stripe.customers.create({ test_clock: clock.id, metadata })
  const { monthly: priceId } = await payments.prices()
  const made = await payments.createSetup({
    customerId,
    restaurantId,
    plan: 'monthly',
    priceId,
    attemptId: randomUUID(),
  })
  await stripe.setupIntents.confirm(made.id, {
    payment_method: 'pm_card_visa',
    return_url: 'https://tables.example/subscribe',
  })
  const setup = await payments.setup(made.id)
  if (setup?.status !== 'succeeded') throw new Error(`the setup is ${setup?.status}`)
  const { snapshot } = await payments.subscribe({
    customerId,
    restaurantId,
    plan: 'monthly',
    setup: { ...setup, priceId },
  })
  if (snapshot.status !== 'active') throw new Error(`the subscription is ${snapshot.status}`)

  const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customerId })
  await stripe.customers.update(customerId, { invoice_settings: { default_payment_method: failing.id } })
  await stripe.subscriptions.update(snapshot.id, { default_payment_method: failing.id })
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: began + 32 * day })
  for (let tries = 0; tries < 60; tries++) {
    const { status } = await stripe.testHelpers.testClocks.retrieve(clock.id)
    if (status === 'ready') break
    await setTimeout(2_000)
  }
  const after = (await payments.subscription(snapshot.id)).snapshot
  if (after.status !== 'past_due') throw new Error(`after 32 days the subscription is ${after.status}`)
  console.log('subscribed, renewed with a failing card, past_due: as expected')
} finally {
  await stripe.testHelpers.testClocks.del(clock.id)
}
