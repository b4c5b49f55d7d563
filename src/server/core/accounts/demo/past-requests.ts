import type { CrewMember } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import { nameKey } from '#contract/primitives.ts'
import * as floor from '../../../storage/floor/floor.ts'
import * as requestEvents from '../../../storage/requests/request-events.ts'
import type { RequestEvent } from '../../../storage/requests/request-events.ts'
import * as requests from '../../../storage/requests/requests.ts'
import type { RequestRow } from '../../../storage/requests/requests.ts'
import type { Ctx } from '../../ctx.ts'
import { addDays, localDay } from '../../dates.ts'
import { type Attribution, guestAttribution } from '../../requests/request-events.ts'
import { write } from '../../transaction.ts'
import { historyDays, type PlannedRequest, planHistory } from './demo-history.ts'

type Demo = {
  restaurantId: string
  timeZone: string
  /** With whoever looks after each of them. */
  tables: (Table & { server: CrewMember })[]
}

/** How often each table asks; the last two are far from the kitchen. */
const habits = { shares: [3, 2, 2, 3, 2, 2, 1, 1], slowTables: 2, isUsualToday: true }

/** A guest's tap waits for one of them at most. */
const requestsPerTransaction = 50

/**
 * What a tried demo has behind it, written as rows: its visitor waits for it, and the operations would take as long as
 * two weeks of guests do. Nobody is told of it, and nothing counts it as having happened now.
 */
export async function storePast(ctx: Ctx, { restaurantId, timeZone, tables }: Demo): Promise<void> {
  const today = localDay(ctx.now(), timeZone)
  const assignments = Array.from({ length: historyDays }, (_, index) => addDays(today, -1 - index)).flatMap(
    (date) =>
      tables.map(({ id, server }) => ({
        restaurantId,
        date,
        tableId: id,
        slot: '',
        crewMemberId: server.id,
      })),
  )
  const past = planHistory(ctx.now(), timeZone, habits).flatMap((planned) => {
    const table = tables[planned.table]
    if (!table) return []
    return [toRows(ctx, planned, { restaurantId, table, day: localDay(planned.createdAt, timeZone) })]
  })
  await write(ctx, ({ db }) => floor.insertAssignments(db, assignments))
  for (let from = 0; from < past.length; from += requestsPerTransaction) {
    const some = past.slice(from, from + requestsPerTransaction)
    await write(ctx, async ({ db }) => {
      await requests.insertPast(
        db,
        some.map(({ request }) => request),
      )
      await requestEvents.append(
        db,
        some.flatMap(({ events }) => events),
      )
    })
  }
}

/** As the operations leave a request that its guest made, and perhaps repeated, and that the table's server completed. */
function toRows(
  ctx: Ctx,
  { createdAt, serviceType, askedAgainMs, ...after }: PlannedRequest,
  { restaurantId, table, day }: { restaurantId: string; table: Demo['tables'][number]; day: string },
): { request: RequestRow; events: RequestEvent[] } {
  const { server, tableNumber } = table
  const id = ctx.newId()
  const at = {
    asked: createdAt + (askedAgainMs ?? 0),
    seen: createdAt + after.seenMs,
    accepted: createdAt + after.responseMs,
    completed: createdAt + after.completedMs,
  }
  const guest = guestAttribution(null)
  const crew: Attribution = { actorKind: 'crew', actorId: server.id, actorName: server.name }
  const event = (
    kind: RequestEvent['kind'],
    at: number,
    by: Attribution,
    id = ctx.newId(),
  ): RequestEvent => ({
    restaurantId,
    id,
    requestId: request.id,
    at,
    kind,
    ...by,
  })
  const request: RequestRow = {
    restaurantId,
    id,
    tableId: table.id,
    tableNumber,
    tableKey: nameKey(tableNumber),
    movedTo: null,
    serviceType,
    need: null,
    choice: null,
    note: null,
    noteAt: null,
    createdAt,
    localDay: day,
    asks: askedAgainMs === null ? 1 : 2,
    lastAskedAt: at.asked,
    seen: 1,
    seenAt: at.seen,
    level: 0,
    nextLevelAt: null,
    verified: 1,
    byButton: 0,
    crew: server.id,
    called: server.id,
    acceptedAt: at.accepted,
    acceptedBy: server.id,
    acceptedByName: server.name,
    acceptUntil: null,
    answeredAt: at.accepted,
    answeredBy: server.id,
    closedAt: at.completed,
    closedAs: 'completed',
    closedBy: server.id,
    closedByName: server.name,
    mergedInto: null,
    pushedLevel: -1,
    stillWaiting: 0,
    stillWaitingAt: null,
    expectedFromMs: null,
    expectedUntilMs: null,
  }
  return {
    request,
    events: [
      event('created', createdAt, guest, id),
      event('seen', at.seen, crew, `seen:${id}:${ctx.newId()}`),
      ...(askedAgainMs === null ? [] : [event('asked', at.asked, guest)]),
      event('accepted', at.accepted, crew),
      event('completed', at.completed, crew),
    ],
  }
}
