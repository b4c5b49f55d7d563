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
  const { tableId, tableNumber, visitStartedAt, muted, partyMovedAt } = row
  return {
    table: tableId !== null && tableNumber !== null ? { id: tableId, tableNumber } : null,
    startedAt: visitStartedAt ?? undefined,
    muted: muted !== null,
    partyMovedAt,
  }
}

/** Of the table `i.table_key` and the device `i.guest_id`. */
export type VisitColumns = {
  /** The table's key while it is muted. */
  muted: string | null
  visitStartedAt: number | null
  partyMovedAt: number | null
}

/**
 * Columns of a query in which `i.now` is the time. As joins these would read all rows of the restaurant when PostgreSQL
 * takes it for a small one.
 */
export const selectVisitColumns = (restaurantId: 'r.id' | 'i.restaurantId') => [
  sql<VisitColumns['muted']>`(
    select m.table_key from muted_table m
    where m.restaurant_id = ${sql.ref(restaurantId)} and m.table_key = i.table_key
      and (m.until is null or m.until > i.now))`.as('muted'),
  sql<VisitColumns['visitStartedAt']>`(
    select v.started_at from guest_visit v
    where v.restaurant_id = ${sql.ref(restaurantId)} and v.guest_id = i.guest_id
      and v.table_key = i.table_key)`.as('visitStartedAt'),
  sql<VisitColumns['partyMovedAt']>`(
    select p.at from party_move p
    where p.restaurant_id = ${sql.ref(restaurantId)} and p.from_key = i.table_key and p.undone_at is null
    order by p.at desc limit 1)`.as('partyMovedAt'),
]

type Row = VisitColumns & { n: number; tableId: string | null; tableNumber: string | null }

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
      .select(selectVisitColumns('i.restaurantId')),
})
