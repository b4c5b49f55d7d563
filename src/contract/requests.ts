import * as v from 'valibot'
import { hourMs, minuteMs, secondMs } from './durations.ts'
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

/** An unknown type is no error but becomes a plain call, since the guest still needs somebody. */
export const ServiceType = v.optional(v.fallback(v.picklist(serviceTypes), 'general'), 'general')

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

/** An open request, as guests and crew see it. */
export const ServiceRequest = v.object({
  id: Id,
  tableNumber: v.string(),
  serviceType: v.picklist(serviceTypes),
  timestamp: Timestamp,
  state: v.picklist(['waiting', 'accepted']),
  /** How many times the table asked for it. */
  asks: v.number(),
  acceptedBy: v.nullable(PersonRef),
  /** The number of staff screens that confirmed showing it. */
  seen: v.number(),
  /** The crew members it alerts first; empty if it is for everybody. */
  crew: v.array(Id),
  /** Whom it alerts: 0 the table's own crew, 1 all crew, 2 the manager too. */
  level: v.picklist([0, 1, 2]),
  /** Sent with a valid printed code. */
  verified: v.boolean(),
  /** How many times the crew was told that the guest is still waiting; missing if never. */
  stillWaiting: v.optional(v.number()),
  /** When the crew was last told; null if somebody has since been on the way. */
  stillWaitingAt: v.optional(v.nullable(Timestamp)),
})
export type ServiceRequest = v.InferOutput<typeof ServiceRequest>

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

export const RestaurantRef = v.optional(textField('Restaurant not found', 200), 'default')

/** The proof contained in a printed code. */
export const PrintedCodeProof = v.optional(v.pipe(v.string(), v.maxLength(200)))

export const NewServiceRequest = v.object({
  /** The client's id for this tap: however often it is sent, it counts once. */
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

/** Why a table's requests are all refused: the code of the refusal and its message for guests. */
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
