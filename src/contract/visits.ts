import * as v from 'valibot'
import { maxCharacters, Id, isStorableText, Timestamp } from './primitives.ts'
import { Barrier, ServiceRequest } from './requests.ts'

/** What opening the guest page for a restaurant and a table comes to. */
export const GuestView = v.object({
  /** In the owner's own spelling; null when the link named none, or one that does not exist. */
  restaurantName: v.nullable(v.string()),
  tableNumber: v.nullable(v.string()),
  /** Why the guest cannot go on, in words. */
  problem: v.nullable(v.string()),
  /** The 3 hours at this table are over. */
  expired: v.boolean(),
  /** The open requests of the table. */
  requests: v.array(ServiceRequest),
  /** Of these, the ones that this device may cancel. */
  mine: v.array(Id),
  listening: v.boolean(),
  barrier: v.nullable(Barrier),
})
export type GuestView = v.InferOutput<typeof GuestView>

/** All that the guest page is rendered from, on the server and again in the browser. */
export const GuestPage = v.object({
  ...GuestView.entries,
  /** As the link or the form gave them. */
  given: v.object({
    restaurantId: v.nullable(v.string()),
    tableNumber: v.nullable(v.string()),
    k: v.nullable(v.string()),
  }),
  /** 'Enter Table Number Manually' was chosen. */
  manual: v.boolean(),
  /** The request that a plain form has just stored. */
  sent: v.nullable(ServiceRequest),
  /** A refusal of what a plain form asked for, in words. */
  refused: v.nullable(v.string()),
  /** A plain form sends this, so that posting it again counts once. */
  formId: Id,
  now: Timestamp,
})
export type GuestPage = v.InferOutput<typeof GuestPage>

/** What links and plain forms of the guest page carry; what is missing, too long or no text counts as empty. */
const formField = (max: number) =>
  v.fallback(v.optional(v.pipe(v.string(), v.trim(), maxCharacters(max), v.check(isStorableText)), ''), '')

export const GuestFields = v.object({
  r: formField(200),
  t: formField(200),
  k: formField(200),
  id: formField(64),
  serviceType: formField(40),
  action: formField(40),
  sent: formField(64),
  manual: formField(1),
})
export type GuestFields = v.InferOutput<typeof GuestFields>
