import * as v from 'valibot'
import { keysOf } from './keys-of.ts'
import { Id, TableNumber, Timestamp, textField } from './primitives.ts'

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

/** An unknown type is not an error: the guest still needs somebody, so it becomes a plain call. */
export const ServiceType = v.optional(v.fallback(v.picklist(serviceTypes), 'general'), 'general')

/** How long a guest should wait at most, in milliseconds; age colours and "Still waiting" go by it. */
export const targetResponseMs: Record<ServiceType, number> = {
  general: 60_000,
  drinks: 90_000,
  food: 90_000,
  check: 45_000,
  assistance: 30_000,
  other: 90_000,
}

/** A guest's session at one table, in milliseconds. */
export const visitDurationMs = 10_800_000

/** How long a completed request can be taken back, in milliseconds. */
export const undoWindowMs = 10_000

/** How soon the crew can be told again that a guest still waits, in milliseconds. */
export const stillWaitingPauseMs = 60_000

/** Who did something; a crew screen where nobody chose a name acts as "Crew" with no id. */
export const PersonRef = v.object({ id: v.nullable(Id), name: v.string() })
export type PersonRef = v.InferOutput<typeof PersonRef>

/** An open request, as everybody concerned sees it. */
export const ServiceRequest = v.object({
  id: Id,
  tableNumber: v.string(),
  serviceType: v.picklist(serviceTypes),
  timestamp: Timestamp,
  state: v.picklist(['waiting', 'accepted']),
  /** How often the table asked for it. */
  asks: v.number(),
  acceptedBy: v.nullable(PersonRef),
  /** How many staff screens confirmed showing it. */
  seen: v.number(),
  /** The crew members whom it alerts first; empty when it is everybody's. */
  crew: v.array(Id),
  /** Whom it alerts: 0 its own crew, 1 all crew, 2 the manager too. */
  level: v.picklist([0, 1, 2]),
  /** Asked through a code that this installation printed. */
  verified: v.boolean(),
  /** How often the crew was told that the guest still waits; missing when never. */
  stillWaiting: v.optional(v.number()),
  /** When it was told so last; null where somebody is on the way since. */
  stillWaitingAt: v.optional(v.nullable(Timestamp)),
})
export type ServiceRequest = v.InferOutput<typeof ServiceRequest>

/** Oldest first. */
export const compareByAge = (
  a: Pick<ServiceRequest, 'timestamp' | 'id'>,
  b: Pick<ServiceRequest, 'timestamp' | 'id'>,
): number => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1)

/** A request that is over, as the crew's "Recently completed" shows it. */
export const ClosedRequest = v.object({
  request: ServiceRequest,
  closedAt: Timestamp,
  by: v.nullable(PersonRef),
  /** The guest took it back while somebody was on the way. */
  cancelled: v.optional(v.literal(true)),
})
export type ClosedRequest = v.InferOutput<typeof ClosedRequest>

export const RestaurantRef = v.optional(textField('Restaurant not found', 200), 'default')

/** The proof that a printed code carries. */
export const PrintedCodeProof = v.optional(v.pipe(v.string(), v.maxLength(200)))

export const NewServiceRequest = v.object({
  /** The guest's own id for this tap: however often it is sent, it counts once. */
  id: v.optional(Id),
  restaurantId: RestaurantRef,
  tableNumber: TableNumber,
  serviceType: ServiceType,
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

/** Why whatever is asked for at a table is refused, by the code of the refusal, and how guests read it. */
export const barrierMessages = {
  code_required: 'Please scan the code on your table.',
  table_muted: 'Please wave to your waiter.',
} as const
export const Barrier = v.picklist(['code_required', 'table_muted'])
export type Barrier = v.InferOutput<typeof Barrier>

export const TableRequests = v.object({
  requests: v.array(ServiceRequest),
  /** Whether any staff screen or staff device can hear a request right now. */
  listening: v.boolean(),
  barrier: v.nullable(Barrier),
})
export type TableRequests = v.InferOutput<typeof TableRequests>
