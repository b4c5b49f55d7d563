import * as v from 'valibot'
import { keysOf } from './keys-of.ts'

/** Every reason for refusing a call. HTTP sends the status, the live channel sends the code. */
export const errorStatus = {
  invalid: 400,
  unauthenticated: 401,
  /** The password was right, but the account also requires a code from its authenticator app. */
  second_factor_required: 401,
  /** The password is right for several restaurants of one e-mail address: say which. */
  restaurant_required: 401,
  payment_required: 402,
  forbidden: 403,
  /** Allowed only shortly after signing in: the caller may confirm their identity and try again. */
  recent_sign_in_required: 403,
  /** The crew member's name is protected by a PIN, which was missing or wrong. */
  pin_required: 403,
  not_found: 404,
  /** The request took too long to arrive. */
  timeout: 408,
  conflict: 409,
  /** What is to be restored has lost its number or name to something else: the caller may give it another. */
  name_taken: 409,
  username_taken: 409,
  /** Somebody has restored it meanwhile. */
  already_restored: 409,
  /** The restaurant accepts only requests with the proof of a printed code. */
  code_required: 409,
  /** The crew muted the guest's table. */
  table_muted: 409,
  /** The crew has not opened the guest's table, where it opens and closes tables. */
  table_closed: 409,
  /** Outside the restaurant's opening hours. */
  closed: 409,
  /** The owner or a manager paused the need. */
  need_paused: 409,
  /** The guest's 3 hours at the table are over. */
  visit_expired: 410,
  /** The file is not the one that the caller has. */
  precondition_failed: 412,
  too_large: 413,
  unsupported: 415,
  /** The part of a file that was asked for begins past its end. */
  range_not_satisfiable: 416,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

export const ErrorBody = v.object({
  code: v.picklist(keysOf(errorStatus)),
  message: v.string(),
})
export type ErrorBody = v.InferOutput<typeof ErrorBody>

/** What a message names. */
export const RefusalParams = v.object({
  table: v.optional(v.string()),
  seconds: v.optional(v.number()),
  /** Whether scanning the code on the table helps at once. */
  scan: v.optional(v.boolean()),
  /** When it is possible again. */
  until: v.optional(v.number()),
  /** On whose clock that is. */
  timeZone: v.optional(v.string()),
  serviceType: v.optional(v.string()),
  /** The reason of a pause: a key of `pauseReasonLabels`, and the restaurant's own words for it, also by language. */
  reason: v.optional(v.string()),
  text: v.optional(v.string()),
  texts: v.optional(v.record(v.string(), v.string())),
})

/** The answer with code `restaurant_required`. */
export const RestaurantRequired = v.object({ restaurants: v.array(v.string()) })

/** As a page reads it that says it in another language. */
export const RefusalBody = v.object({ ...ErrorBody.entries, params: v.optional(RefusalParams) })
export type RefusalBody = v.InferOutput<typeof RefusalBody>
