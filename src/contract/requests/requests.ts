import * as v from 'valibot'
import { hourMs, minuteMs, secondMs } from '../durations.ts'
import { keysOf } from '../keys-of.ts'
import { Id, isStorableText, maxCharacters, TableNumber, Timestamp, textField } from '../primitives.ts'
import type { LocalText } from '../texts/local-text.ts'
import type { NeedIcon } from './need-icons.ts'

/** In the order in which guests see them, and figures list them. */
export const serviceTypeLabels = {
  general: 'Call Waiter',
  drinks: 'Drinks',
  food: 'Food Order',
  check: 'Check/Bill',
  assistance: 'Assistance',
  other: 'Other',
} as const

export type ServiceType = keyof typeof serviceTypeLabels
export const serviceTypes = keysOf(serviceTypeLabels)

/** A value for each type. */
export const mapServiceTypes = <T>(valueOf: (type: ServiceType) => T): Record<ServiceType, T> => ({
  general: valueOf('general'),
  drinks: valueOf('drinks'),
  food: valueOf('food'),
  check: valueOf('check'),
  assistance: valueOf('assistance'),
  other: valueOf('other'),
})

/** An unknown type becomes a plain call instead of an error: the guest still needs somebody. */
export const ServiceType = v.optional(v.fallback(v.picklist(serviceTypes), 'general'), 'general')

/** How far back the crew sees what a table asked for. */
export const tableHistoryMs = 90 * minuteMs

/** A table that asks for the same again within this time is served too slowly, or thirsty: its ticket says so. */
export const repeatWindowMs = 10 * minuteMs

/** The longest a guest should have to wait. Age colours and "Still waiting" depend on it. */
export const targetResponseMs: Record<ServiceType, number> = {
  general: 60 * secondMs,
  drinks: 90 * secondMs,
  food: 90 * secondMs,
  check: 45 * secondMs,
  assistance: 30 * secondMs,
  other: 90 * secondMs,
}

/** How long a guest's visit at a table lasts. */
export const visitDurationMs = 3 * hourMs

/** How long completing a request can be undone. */
export const undoWindowMs = 10 * secondMs

/** The least time between two reminders that a guest is still waiting. */
export const stillWaitingPauseMs = minuteMs

/** Who did something. A crew screen on which nobody chose a name acts as "Crew", without an id. */
export const PersonRef = v.object({ id: v.nullable(Id), name: v.string() })
export type PersonRef = v.InferOutput<typeof PersonRef>

/** How long requests like it usually take to be completed, in milliseconds. */
export const ExpectedTime = v.object({ fromMs: v.number(), untilMs: v.number() })
export type ExpectedTime = v.InferOutput<typeof ExpectedTime>

/** The id of a need or a choice of the restaurant's own; so short that the id of a tap can contain both. */
export const NeedId = v.pipe(v.string('An id is required'), v.regex(/^[\w-]{1,12}$/u, 'Not a valid id'))

/** What a guest can say at once with a need, such as cash or card. */
export type NeedChoice = { id: string; name: LocalText }

/** What a restaurant calls the need, one of the six or its own, when it was last asked for. */
export type RequestNeed = {
  id: string
  name: LocalText
  /** This and the target time: of an own need. */
  icon?: NeedIcon
  targetMs?: number
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/** An open request, as guests and crew see it. */
export const ServiceRequest = v.object({
  id: Id,
  tableNumber: v.string(),
  /** Where the party asked for it; missing unless it has moved to another table since. */
  movedFrom: v.optional(v.string()),
  /** `other` for a need of the restaurant's own. */
  serviceType: v.picklist(serviceTypes),
  /** Schemas of these two would be too large for every page. */
  need: v.optional(v.custom<RequestNeed>(isObject)),
  choice: v.optional(v.custom<NeedChoice>(isObject)),
  /** What guests wrote, for the crew only; erased after 24 hours. */
  note: v.optional(v.string()),
  timestamp: Timestamp,
  state: v.picklist(['waiting', 'accepted']),
  /** How many times the table asked for it. */
  asks: v.number(),
  acceptedBy: v.nullable(PersonRef),
  /** Since when somebody is on the way; missing or null while nobody is. */
  acceptedAt: v.optional(v.nullable(Timestamp)),
  /** The number of staff screens that confirmed showing it. */
  seen: v.number(),
  /** Who looks after the table; empty if it is for everybody. */
  crew: v.array(Id),
  /** Whom it calls while it calls only some of the crew; if missing, it alerts those that `crew` and `level` say. */
  called: v.optional(v.array(Id)),
  /** Whom it alerts: 0 the table's own crew, 1 all crew, 2 the manager too. */
  level: v.picklist([0, 1, 2]),
  /** Sent with a valid printed code. */
  verified: v.boolean(),
  /** First asked by a network button at the table. */
  byButton: v.optional(v.literal(true)),
  /** What the guest was told when it was asked; missing where that is not known well enough. */
  expected: v.optional(ExpectedTime),
  /** How many times the crew was told that the guest is still waiting; missing if never. */
  stillWaiting: v.optional(v.number()),
  /** When the crew was last told; null if somebody has since been on the way. */
  stillWaitingAt: v.optional(v.nullable(Timestamp)),
})
export type ServiceRequest = v.InferOutput<typeof ServiceRequest>

export const RequestReply = v.object({ request: ServiceRequest })

/** How the request of a tap that is sent again has ended meanwhile; missing while it is open. */
export const ClosedAs = v.picklist(['completed', 'cancelled'])
export type ClosedAs = v.InferOutput<typeof ClosedAs>

/** The crew cannot see all of the note that came with the tap: it did not fit any more, or the need takes none. */
export const NoteCut = v.optional(v.literal(true))

/** `listening`: whether anybody can hear it right now. */
export const SentReply = v.object({
  ...RequestReply.entries,
  listening: v.boolean(),
  closed: v.optional(ClosedAs),
  noteCut: NoteCut,
})

/** The longest that the guest should have to wait. */
export const targetMsOf = ({ serviceType, need }: Pick<ServiceRequest, 'serviceType' | 'need'>): number =>
  need?.targetMs ?? targetResponseMs[serviceType]

/** Oldest first. */
export const compareByAge = (
  a: Pick<ServiceRequest, 'timestamp' | 'id'>,
  b: Pick<ServiceRequest, 'timestamp' | 'id'>,
): number => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1)

/** A closed request, as the crew's "Recently completed" shows it. */
export const ClosedRequest = v.object({
  request: ServiceRequest,
  closedAt: Timestamp,
  by: v.nullable(PersonRef),
  /** The guest cancelled it while somebody was on the way. */
  cancelled: v.optional(v.literal(true)),
})
export type ClosedRequest = v.InferOutput<typeof ClosedRequest>

/** One request of a table, as its history shows it. */
export const PastRequest = v.object({
  id: Id,
  serviceType: v.picklist(serviceTypes),
  need: ServiceRequest.entries.need,
  choice: ServiceRequest.entries.choice,
  timestamp: Timestamp,
  asks: v.number(),
  /** When somebody said "On my way", or completed it without; null while nobody has. */
  answeredAt: v.nullable(Timestamp),
  closedAt: v.nullable(Timestamp),
  cancelled: v.optional(v.literal(true)),
  /** Where its party took it; for the table that it was asked at. */
  movedTo: v.optional(v.string()),
  /** Where its party brought it from; for the table that it is at now. */
  movedFrom: v.optional(v.string()),
})
export type PastRequest = v.InferOutput<typeof PastRequest>

/** A party takes its open requests and its phones to another table, or joins the party there. */
export const PartyMove = v.object({
  /** The client's id for this move: however often it is sent, the party moves once. */
  id: Id,
  from: TableNumber,
  to: TableNumber,
})
export type PartyMove = v.InferOutput<typeof PartyMove>

/** Who is at a table, as far as is known. */
export const Party = v.object({
  /** The devices that have sent requests during their visits there. */
  phones: v.number(),
})
export type Party = v.InferOutput<typeof Party>

export const RestaurantRef = v.optional(textField('Restaurant not found', 200), 'default')

/** The proof contained in a printed code. */
export const PrintedCodeProof = v.optional(v.pipe(v.string(), v.maxLength(200)))

export const maxNoteLength = 140

/** What could garble a ticket counts as a space. */
const Note = v.pipe(
  v.string(),
  v.transform((text) =>
    text.replace(/[\s\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim(),
  ),
  maxCharacters(maxNoteLength),
  v.check(isStorableText, 'Please use only visible characters'),
)

/** An unknown one is left out instead of refused: the guest still needs somebody. */
const optionalNeedId = v.optional(v.fallback(v.optional(NeedId), undefined))

export const NewServiceRequest = v.object({
  /** The client's id for this tap: however often it is sent, it counts once. */
  id: v.optional(Id),
  restaurantId: RestaurantRef,
  tableNumber: TableNumber,
  /** `other` with a need of the restaurant's own. */
  serviceType: ServiceType,
  need: optionalNeedId,
  choice: optionalNeedId,
  /** Where the restaurant allows one. */
  note: v.optional(Note),
  k: PrintedCodeProof,
})
export type NewServiceRequest = v.InferOutput<typeof NewServiceRequest>

export const RequestRef = v.object({ id: Id })
export type RequestRef = v.InferOutput<typeof RequestRef>

export const TableRef = v.object({
  restaurantId: RestaurantRef,
  tableNumber: TableNumber,
  k: PrintedCodeProof,
})
export type TableRef = v.InferOutput<typeof TableRef>

/** The table that a guest named before was not theirs. */
export const TableCorrection = v.object({ ...TableRef.entries, from: TableNumber })
export type TableCorrection = v.InferOutput<typeof TableCorrection>

/** Why a table's requests are all refused: the code of the refusal and its message for guests. */
export const barrierMessages = {
  code_required: 'Please scan the code on your table.',
  table_muted: 'Please wave to your waiter.',
  table_closed: 'This table is not open. Please ask your waiter to open it.',
  visit_expired: 'Your visit at this table is over.',
} as const
export const Barrier = v.picklist(['code_required', 'table_muted', 'table_closed', 'visit_expired'])
export type Barrier = v.InferOutput<typeof Barrier>

/** What a need is paused for; `own` has a text of its own. */
export const pauseReasons = ['kitchen', 'bar', 'crew', 'own'] as const
export type PauseReason = (typeof pauseReasons)[number]

const isPausable = (type: ServiceType): type is Exclude<ServiceType, 'general'> => type !== 'general'
/** Guests can always call a waiter while the restaurant is open. */
export const pausableTypes = /* @__PURE__ */ serviceTypes.filter(isPausable)

export const Pause = v.object({
  serviceType: v.picklist(pausableTypes, 'Call Waiter cannot be paused'),
  until: Timestamp,
  reason: v.picklist(pauseReasons),
  /** In the restaurant's own language. Null unless the reason is `own`. */
  text: v.nullable(v.string()),
  /** The same by language; missing where nobody said which one it is. */
  texts: v.optional(v.custom<LocalText>(isObject)),
})
export type Pause = v.InferOutput<typeof Pause>

/** What guests of a restaurant that arranged its needs see. Without a name it is one of the six, called as usual. */
export type ShownNeed = {
  /** A service type, or else a need of the restaurant's own. */
  id: string
  name?: LocalText
  icon?: NeedIcon
  choices?: NeedChoice[]
  /** Guests may add a short text. */
  note?: true
}

/** What guests can ask for, and cannot right now; empty while they can ask for the six. */
export const availabilityFields = {
  /** In their order. A schema would be too large for every page. */
  needs: v.optional(v.custom<ShownNeed[]>(Array.isArray)),
  /** Where the guest card leads, by kind; an empty address is that of its own page. */
  card: v.optional(v.record(v.string(), v.string())),
  /** Until then the restaurant is closed. */
  closedUntil: v.optional(Timestamp),
  pauses: v.optional(v.array(Pause)),
  /** On whose clock that is. */
  timeZone: v.optional(v.string()),
}
export type Availability = v.InferOutput<v.ObjectSchema<typeof availabilityFields, undefined>>

export const TableRequests = v.object({
  requests: v.array(ServiceRequest),
  /** Those that this device asked for, by ids that it may not know since two parties joined. */
  mine: v.optional(v.array(Id)),
  /** Whether any staff screen or staff device can hear a request right now. */
  listening: v.boolean(),
  barrier: v.nullable(Barrier),
  ...availabilityFields,
  /** Where the crew moved the party since its visit began, so that these are the requests of that table. */
  movedTo: v.optional(v.string()),
  /** The visit began more than three hours ago: this device must begin a new one before it can ask. */
  expired: v.optional(v.literal(true)),
})
export type TableRequests = v.InferOutput<typeof TableRequests>
