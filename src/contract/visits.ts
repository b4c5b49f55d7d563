import * as v from 'valibot'
import { maxCharacters, Id, isStorableText, Timestamp } from './primitives.ts'
import { Barrier, ServiceRequest } from './requests.ts'

/** The outcome of opening the guest page for a restaurant and a table. */
export const GuestView = v.object({
  /** As the owner spells it; null if the link named none, or one that does not exist. */
  restaurantName: v.nullable(v.string()),
  tableNumber: v.nullable(v.string()),
  /** A message that says why the guest cannot go on. */
  problem: v.nullable(v.string()),
  /** The visit of 3 hours at this table is over. */
  expired: v.boolean(),
  /** The table's open requests. */
  requests: v.array(ServiceRequest),
  /** The ids of those that this device may cancel. */
  mine: v.array(Id),
  listening: v.boolean(),
  barrier: v.nullable(Barrier),
})
export type GuestView = v.InferOutput<typeof GuestView>

/** Everything that the guest page is rendered from, on the server and again in the browser. */
export const GuestPage = v.object({
  ...GuestView.entries,
  /** As given by the link or the form. */
  given: v.object({
    restaurantId: v.nullable(v.string()),
    tableNumber: v.nullable(v.string()),
    k: v.nullable(v.string()),
  }),
  /** 'Enter Table Number Manually' was chosen. */
  manual: v.boolean(),
  /** The request that a plain form has just stored. */
  sent: v.nullable(ServiceRequest),
  /** The message if a plain form was refused. */
  refused: v.nullable(v.string()),
  /** Sent by a plain form, so that it counts once even if it is posted again. */
  formId: Id,
  now: Timestamp,
})
export type GuestPage = v.InferOutput<typeof GuestPage>

/** The parameters of the guest page's links and plain forms. Anything missing, too long or not text counts as empty. */
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
