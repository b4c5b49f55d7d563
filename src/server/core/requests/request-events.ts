import type { Group } from '../../storage/engine/types.ts'
import type { RequestEvent } from '../../storage/requests/request-events.ts'
import { type RequestRow, toRequest } from '../../storage/requests/requests.ts'
import type { RequestEventKind } from '../../storage/schema.ts'
import type { Announce, Ctx } from '../ctx.ts'
import type { Topic } from '../topics.ts'
import type { Tx } from '../transaction.ts'

/**
 * Taps, completions and “On my way” number the events of the same restaurants, so apart they would wait for each other.
 * `keys`: of what no two of them may change at the same time.
 */
export const requestGroup = (restaurant: string, ...keys: string[]): Group => ({
  name: 'requests',
  keys,
  scope: restaurant,
})

/** Who caused an event. */
export type Attribution = Pick<RequestEvent, 'actorKind' | 'actorId' | 'actorName'>

export const systemAttribution: Attribution = { actorKind: 'system', actorId: null, actorName: null }

export const guestAttribution = (guestId: string | null): Attribution => ({
  actorKind: 'guest',
  actorId: guestId,
  actorName: null,
})

/**
 * Appends an event to the request's history when the transaction ends. Then it fails with a unique violation if an event
 * with this id is already stored, which can happen only with ids chosen by the caller.
 */
export function recordEvent(
  ctx: Ctx,
  tx: Tx,
  by: Attribution,
  row: RequestRow,
  kind: RequestEventKind,
  id = ctx.newId(),
): void {
  const at = occurredAt(row, kind) ?? ctx.now()
  tx.record({ restaurantId: row.restaurantId, id, requestId: row.id, at, kind, ...by })
}

/** The same time as in the row, where the row has one. */
function occurredAt(row: RequestRow, kind: RequestEventKind): number | null {
  switch (kind) {
    case 'created':
      return row.createdAt
    case 'asked':
      return row.lastAskedAt
    case 'accepted':
    case 'handed_over':
      return row.acceptedAt
    case 'still_waiting':
      return row.stillWaitingAt
    case 'completed':
    case 'cancelled':
      return row.closedAt
    default:
      return null
  }
}

/** All crew of the restaurant, and every phone at the table. */
export const requestTopics = ({ restaurantId, tableKey }: RequestRow): [staff: Topic, table: Topic] => [
  { kind: 'staff', restaurantId },
  { kind: 'table', restaurantId, tableKey },
]

export function announceRequest(
  announce: Announce,
  row: RequestRow,
  type: 'new-request' | 'request-updated' = 'request-updated',
): void {
  const [staff, table] = requestTopics(row)
  const request = toRequest(row)
  announce(staff, { type, request })
  // Guests' pages know one message for new and changed requests.
  announce(table, { type: 'request-updated', request })
}
