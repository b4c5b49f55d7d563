import { sql } from 'kysely'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'

/** What a guest's page needs to know about a table. */
export type VisitContext = {
  table: { id: string; tableNumber: string } | null
  /** When the visit of the guest's device began, if it asked here before. */
  startedAt: number | undefined
  muted: boolean
  /** When a party last moved away from the table. */
  partyMovedAt: number | null
}

type Place = { restaurantId: string; tableKey: string; guestId: string | null }

/** A single query, because the guest is waiting for the page. */
export async function loadVisitContext(db: Db, place: Place, now: number): Promise<VisitContext> {
  const [row] = await db.run(selectVisitContext, { ...place, now })
  if (!row) throw new Error('The database says nothing about a table')
  const { tableId, tableNumber, startedAt, muted, partyMovedAt } = row
  return {
    table: tableId !== null && tableNumber !== null ? { id: tableId, tableNumber } : null,
    startedAt: startedAt ?? undefined,
    muted: muted !== null,
    partyMovedAt,
  }
}

type Row = {
  n: number
  tableId: string | null
  tableNumber: string | null
  startedAt: number | null
  muted: string | null
  partyMovedAt: number | null
}

const selectVisitContext = defineStatement<Place & { now: number }, Row>({
  name: 'visit-context',
  input: { restaurantId: 'text', tableKey: 'text', guestId: 'text', now: 'bigint' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input as i')
      .leftJoin('floorTable as t', (j) =>
        j
          .on(isOnly('t.restaurantId', 'i.restaurantId'))
          .onRef('t.numberKey', '=', 'i.tableKey')
          .on('t.category', '=', 'table'),
      )
      .select(['i.n', 't.id as tableId', 't.tableNumber'])
      // As joins these would read all rows of the restaurant when PostgreSQL takes it for a small one.
      .select((e) => [
        e
          .selectFrom('guestVisit as v')
          .select('v.startedAt')
          .whereRef('v.restaurantId', '=', 'i.restaurantId')
          .whereRef('v.guestId', '=', 'i.guestId')
          .whereRef('v.tableKey', '=', 'i.tableKey')
          .as('startedAt'),
        e
          .selectFrom('mutedTable as m')
          .select('m.tableKey')
          .whereRef('m.restaurantId', '=', 'i.restaurantId')
          .whereRef('m.tableKey', '=', 'i.tableKey')
          .where((e) => e.or([e('m.until', 'is', null), e('m.until', '>', e.ref('i.now'))]))
          .as('muted'),
        e
          .selectFrom('partyMove as p')
          .select('p.at')
          .whereRef('p.restaurantId', '=', 'i.restaurantId')
          .whereRef('p.fromKey', '=', 'i.tableKey')
          .where('p.undoneAt', 'is', null)
          .orderBy('p.at', 'desc')
          .limit(sql.lit(1))
          .as('partyMovedAt'),
      ]),
})
