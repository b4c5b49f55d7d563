import * as v from 'valibot'
import { RefusalBody } from '../errors.ts'
import { maxCharacters, Id, isStorableText, Timestamp } from '../primitives.ts'
import { availabilityFields, Barrier, NoteCut, ServiceRequest } from '../requests/requests.ts'
import { Translation } from '../texts/catalogue.ts'
import type { GuestNote } from './manager-notes.ts'
import { noteLimits } from './note-limits.ts'

/** The outcome of opening the guest page for a restaurant and a table. */
export const GuestView = v.object({
  /** As the owner spells it; null if the link named none, or one that does not exist. */
  restaurantName: v.nullable(v.string()),
  tableNumber: v.nullable(v.string()),
  /** Whether that is not the table of the link, because the crew moved the party. */
  moved: v.optional(v.boolean()),
  /** Why the guest cannot go on. */
  problem: v.nullable(RefusalBody),
  /** The visit of 3 hours at this table is over. */
  expired: v.boolean(),
  /** Whether it is expired because the crew closed the table. */
  ended: v.optional(v.boolean()),
  /** The table's open requests. */
  requests: v.array(ServiceRequest),
  /** The ids of those that this device may cancel. */
  mine: v.array(Id),
  listening: v.boolean(),
  barrier: v.nullable(Barrier),
  /** What this device wrote to the manager; missing where guests cannot. */
  notes: v.optional(v.custom<GuestNote[]>(() => true)),
  ...availabilityFields,
})
export type GuestView = v.InferOutput<typeof GuestView>

/** What the page speaks, and what else it could. */
export const PageLanguage = v.object({
  language: v.string(),
  /** By `textKey`. What is missing stays English; empty for English itself. */
  texts: v.record(v.string(), Translation),
  /** The languages' own names. */
  languages: v.record(v.string(), v.string()),
  /** The address names the language, as the browser may keep no cookies. */
  inAddress: v.optional(v.boolean()),
})
export type PageLanguage = v.InferOutput<typeof PageLanguage>

/** Everything that the guest page is rendered from, on the server and again in the browser. */
export const GuestPage = v.object({
  ...GuestView.entries,
  /** As given by the link or the form. */
  given: v.object({
    restaurantId: v.nullable(v.string()),
    tableNumber: v.nullable(v.string()),
    k: v.nullable(v.string()),
    /** The table that the guest named before, and says was not theirs. */
    from: v.optional(v.string()),
  }),
  /** 'Enter Table Number Manually' was chosen. */
  manual: v.boolean(),
  /** What has just been asked for. */
  sent: v.nullable(v.pick(ServiceRequest, ['serviceType', 'need', 'choice'])),
  /** Why a plain form was refused. */
  refused: v.nullable(RefusalBody),
  /** Of what a plain form has sent. */
  noteCut: NoteCut,
  /** Sent by a plain form, so that it counts once even if it is posted again. */
  formId: Id,
  now: Timestamp,
  /**
   * The device keeps this page, so it says nothing about requests: how far the server's clock is ahead of the
   * device's. 0 until the device has kept it.
   */
  kept: v.optional(v.number()),
  ...PageLanguage.entries,
})
export type GuestPage = v.InferOutput<typeof GuestPage>

/** The parameters of the guest page's links and plain forms. Anything missing, too long or not text counts as empty. */
const formField = (max: number) =>
  v.fallback(v.optional(v.pipe(v.string(), v.trim(), maxCharacters(max), v.check(isStorableText)), ''), '')

export const GuestFields = v.object({
  r: formField(200),
  t: formField(200),
  from: formField(200),
  k: formField(200),
  id: formField(64),
  serviceType: formField(40),
  need: formField(12),
  choice: formField(12),
  /** Refused if it is too long: the crew must not get half of it. */
  note: v.fallback(v.optional(v.string(), ''), ''),
  action: formField(40),
  /** To the manager. */
  word: formField(noteLimits.text),
  sent: formField(64),
  manual: formField(1),
  lang: formField(35),
  /** Asks for the page as the device keeps it; the browser's languages. */
  kept: formField(200),
})
export type GuestFields = v.InferOutput<typeof GuestFields>
