import type { Stripe } from '@stripe/stripe-js'
import { CardError } from '../cards/card-form.tsx'

const stripePromises = new Map<string, Promise<Stripe>>()

/** Loads Stripe's script from Stripe on first use. A failed load can be retried. */
export function loadStripeOnce(publishableKey: string): Promise<Stripe> {
  const known = stripePromises.get(publishableKey)
  if (known) return known
  const started = fetchStripe(publishableKey)
  stripePromises.set(publishableKey, started)
  started.catch(() => stripePromises.delete(publishableKey))
  return started
}

async function fetchStripe(publishableKey: string): Promise<Stripe> {
  const { loadStripe } = await import('@stripe/stripe-js/pure/index.js')
  const stripe = await loadStripe(publishableKey)
  if (!stripe) throw new Error('Stripe.js needs a browser')
  return stripe
}

/** Lets the customer's bank authenticate the first charge. */
export async function completeBankStep(publishableKey: string, clientSecret: string): Promise<void> {
  const stripe = await loadStripeOnce(publishableKey)
  const { paymentIntent } = await stripe.retrievePaymentIntent(clientSecret)
  // A charge that was simply refused has no next action, and handling one would throw.
  if (paymentIntent?.status !== 'requires_action') return
  const { error } = await stripe.handleNextAction({ clientSecret })
  if (error) throw new CardError(error.message ?? notConfirmedText)
}

export const notConfirmedText = 'Your card could not be confirmed. Please try again or use another card.'
