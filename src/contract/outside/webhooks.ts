import * as v from 'valibot'
import { Id, Timestamp } from '../primitives.ts'
import { serviceTypes } from '../requests/requests.ts'

const time = v.pipe(v.string(), v.isoTimestamp())

const message = <const T extends string, E extends v.ObjectEntries>(type: T, data: E) =>
  v.object({
    type: v.literal(type),
    /** When it happened; the same in every attempt. */
    timestamp: time,
    data: v.object({ restaurant: v.string(), ...data, link: v.pipe(v.string(), v.url()) }),
  })

/** Nothing about guests, and no names of the crew: what, where and when. */
const request = {
  request: Id,
  table: v.string(),
  /** What the restaurant calls it. */
  service: v.string(),
  serviceType: v.picklist(serviceTypes),
  askedAt: time,
}

/** The body of a call to a webhook. */
export const WebhookMessage = v.variant('type', [
  message('request.created', request),
  /** Sent once it can no longer be undone, ten seconds later. */
  message('request.completed', {
    ...request,
    /** Null if nobody said "On my way" before. */
    acceptedAt: v.nullable(time),
    completedAt: time,
  }),
  message('request.cancelled', { ...request, cancelledAt: time }),
  /** It alerts all crew from now on, or the manager too. */
  message('request.escalated', { ...request, alerts: v.picklist(['all crew', 'manager']) }),
  /** An alert that nobody answers. */
  message('request.unanswered', {
    table: v.string(),
    service: v.string(),
    waitingSince: time,
    waitingSeconds: v.number(),
  }),
  /** No screen and no device hears requests any more. */
  message('crew.unreachable', {}),
  message('crew.reachable', {}),
  /** A guest's device has asked for something at the table for the first time. */
  message('visit.started', { table: v.string() }),
  message('test', {}),
])
export type WebhookMessage = v.InferOutput<typeof WebhookMessage>
export type WebhookType = WebhookMessage['type']

/** One message to one webhook. */
export const Delivery = v.object({
  /** The `webhook-id` of every attempt. */
  id: Id,
  type: v.string(),
  at: Timestamp,
  /** `failed`: it was tried for a day. */
  state: v.picklist(['waiting', 'delivered', 'failed']),
  attempts: v.number(),
  /** The last attempt; `problem` is null if it arrived. */
  last: v.nullable(v.object({ at: Timestamp, problem: v.nullable(v.string()) })),
  /** What is told, as JSON. */
  data: v.string(),
})
export type Delivery = v.InferOutput<typeof Delivery>

/** Newest first. */
export const DeliveryPage = v.object({ deliveries: v.array(Delivery), hasOlder: v.boolean() })
export type DeliveryPage = v.InferOutput<typeof DeliveryPage>
