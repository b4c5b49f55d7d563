import * as v from 'valibot'
import { minuteMs, secondMs } from '../durations.ts'
import { keysOf } from '../keys-of.ts'
import { Id, TableNumber, Timestamp } from '../primitives.ts'
import { PersonRef } from '../requests/requests.ts'
import { CrewRole } from './crew.ts'
import { quickMessageLabels } from './messages.ts'

const QuickMessage = v.picklist(keysOf(quickMessageLabels), 'Unknown quick message')

/**
 * How long an unclaimed call to a role that has alerted so often waits before it does so again: as rarely as a request that
 * calls some of the crew, and for as long as nobody claims it.
 */
export const roleCallRepeatMs = (alerts: number): number =>
  Math.min(minuteMs, 20 * secondMs * 2 ** (alerts - 1))

/** A quick message to whoever in a role is free. It stays until one of them claims it. */
export const RoleCall = v.object({
  id: Id,
  role: CrewRole,
  messageKey: QuickMessage,
  tableNumber: v.nullable(v.string()),
  from: PersonRef,
  timestamp: Timestamp,
  claimedBy: v.nullable(PersonRef),
  /** The number of times it has alerted. */
  alerts: v.number(),
})
export type RoleCall = v.InferOutput<typeof RoleCall>

export const NewRoleCall = v.object({
  id: v.optional(Id),
  role: CrewRole,
  messageKey: QuickMessage,
  tableNumber: v.optional(v.nullable(TableNumber), null),
})
export type NewRoleCall = v.InferOutput<typeof NewRoleCall>

/** A crew member on a break, and who covers their tables; null means everybody. */
export const Break = v.object({ crewMemberId: Id, coverId: v.nullable(Id) })
export type Break = v.InferOutput<typeof Break>
