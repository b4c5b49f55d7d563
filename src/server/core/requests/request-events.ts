import type { RequestEvent, RequestRow } from '../../storage/requests.ts'
import { toRequest } from '../../storage/requests.ts'
import type { RequestEventKind } from '../../storage/schema.ts'
import type { Announce } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import type { Topic } from '../topics.ts'

/** Who did it, as the event keeps it. */
export type Attribution = Pick<RequestEvent, 'actorKind' | 'actorId' | 'actorName'>

export const systemAttribution: Attribution = { actorKind: 'system', actorId: null, actorName: null }

export function createEvent(
  ctx: Ctx,
  by: Attribution,
  row: RequestRow,
  kind: RequestEventKind,
): RequestEvent {
  return {
    restaurantId: row.restaurantId,
    id: ctx.newId(),
    requestId: row.id,
    at: occurredAt(row, kind) ?? ctx.now(),
    kind,
    ...by,
  }
}

/** Where the row keeps when it happened, the event says the same. */
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

/** The crew of the restaurant, and every phone at the table. */
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
  // A guest's screen is told of its table's requests in one way only.
  announce(table, { type: 'request-updated', request })
}
