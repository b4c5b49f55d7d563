import { Stripe } from 'stripe'
import { invalid } from '../../../core/errors.ts'
import type { WebhookEvent } from '../../../ports/payments.ts'
import { idOf } from './mapping.ts'

export const webhookEvents = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'setup_intent.succeeded',
  'setup_intent.setup_failed',
  'customer.deleted',
  'charge.dispute.created',
] as const

const toleranceSeconds = 300

/** Accepts events signed with any of our secrets within the last 5 minutes. */
export function verifyEvent(
  stripe: Stripe,
  raw: Uint8Array,
  signature: string,
  secrets: readonly string[],
  receivedAt: number,
): Stripe.Event {
  for (const secret of secrets) {
    try {
      return stripe.webhooks.constructEvent(raw, signature, secret, toleranceSeconds, undefined, receivedAt)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw invalid('Not an event')
    }
  }
  throw invalid('The signature is not valid')
}

export function toWebhookEvent(event: Stripe.Event): WebhookEvent | null {
  const eventAbout = (objectId: string | undefined, customer: string | { id: string } | null) =>
    objectId === undefined
      ? null
      : {
          id: event.id,
          type: event.type,
          livemode: event.livemode,
          objectId,
          customerId: customer === null ? null : idOf(customer),
        }
  switch (event.type) {
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'invoice.paid':
    case 'invoice.payment_failed':
    case 'invoice.payment_action_required':
    case 'setup_intent.succeeded':
    case 'setup_intent.setup_failed':
      return eventAbout(event.data.object.id, event.data.object.customer)
    case 'customer.deleted':
      return eventAbout(event.data.object.id, event.data.object.id)
    case 'charge.dispute.created':
      return eventAbout(event.data.object.id, null)
    default:
      return null
  }
}
