import type { Stripe } from '@stripe/stripe-js'
import { CardProblem } from './card-form.tsx'

const loading = new Map<string, Promise<Stripe>>()

/** Stripe's own script, fetched from Stripe when it is first needed and never before; a failure may be repeated. */
export function stripeJs(publishableKey: string): Promise<Stripe> {
  const known = loading.get(publishableKey)
  if (known) return known
  const started = load(publishableKey)
  loading.set(publishableKey, started)
  started.catch(() => loading.delete(publishableKey))
  return started
}

async function load(publishableKey: string): Promise<Stripe> {
  const { loadStripe } = await import('@stripe/stripe-js/pure/index.js')
  const stripe = await loadStripe(publishableKey)
  if (!stripe) throw new Error('Stripe.js needs a browser')
  return stripe
}

/** Lets the customer's bank ask what it wants to ask about the first charge. */
export async function takeBankStep(publishableKey: string, clientSecret: string): Promise<void> {
  const stripe = await stripeJs(publishableKey)
  const { paymentIntent } = await stripe.retrievePaymentIntent(clientSecret)
  // A charge that was simply refused has no next step, and asking for one throws.
  if (paymentIntent?.status !== 'requires_action') return
  const { error } = await stripe.handleNextAction({ clientSecret })
  if (error) throw new CardProblem(error.message ?? notConfirmed)
}

export const notConfirmed = 'Your card could not be confirmed. Please try again or use another card.'
