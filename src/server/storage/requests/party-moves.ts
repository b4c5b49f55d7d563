import { type ExpressionBuilder, sql } from 'kysely'
import { secondMs } from '#contract/durations.ts'
import { undoWindowMs } from '#contract/requests/requests.ts'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { hasRow, removeStep, type Step } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type PartyMoveRow = Schema['partyMove']
type TableKey = { restaurantId: string; tableKey: string }

export async function find(db: Db, restaurantId: string, id: string): Promise<PartyMoveRow | undefined> {
  return db
    .selectFrom('partyMove')
    .selectAll()
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirst()
}

export async function insert(db: Db, row: PartyMoveRow): Promise<void> {
  await db.insertInto('partyMove').values(row).execute()
}

export async function markUndone(
  db: Db,
  { restaurantId, id }: PartyMoveRow,
  undoneAt: number,
): Promise<void> {
  await db
    .updateTable('partyMove')
    .set({ undoneAt })
    .where((e) => e.and({ restaurantId, id }))
    .execute()
}

const selectMoves = (db: Db, restaurantId: string) =>
  db.selectFrom('partyMove').where('restaurantId', '=', restaurantId).where('undoneAt', 'is', null)

/** `exists`: whether the table that the party went to is still set up. */
export type FollowedMove = PartyMoveRow & { exists: number }

const selectTableExists = (e: ExpressionBuilder<Schema, 'partyMove'>) => {
  const tables = e
    .selectFrom('floorTable')
    .select('floorTable.id')
    .whereRef('floorTable.restaurantId', '=', 'partyMove.restaurantId')
    .where('floorTable.category', '=', 'table')
  const table = tables.whereRef('floorTable.numberKey', '=', 'partyMove.toKey')
  return e
    .case()
    .when(e.or([e.exists(table), e.not(e.exists(tables))]))
    .then(e.lit(1))
    .else(e.lit(0))
    .end()
    .as('exists')
}

/** Where the party went that was at the table then, and when. */
export async function findNext(db: Db, table: TableKey, after: number): Promise<FollowedMove | undefined> {
  const [move] = await db.run(selectNext, { ...table, after })
  return move
}

const selectNext = defineStatement<TableKey & { after: number }, FollowedMove & { n: number }>({
  name: 'next-party-move',
  input: { restaurantId: 'text', tableKey: 'text', after: 'bigint' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('partyMove', (j) =>
        j
          .on(isOnly('partyMove.restaurantId', 'input.restaurantId'))
          .on('partyMove.id', '=', (e) =>
            e
              .selectFrom('partyMove as next')
              .select('next.id')
              .whereRef('next.restaurantId', '=', 'input.restaurantId')
              .whereRef('next.fromKey', '=', 'input.tableKey')
              .whereRef('next.at', '>', 'input.after')
              .where('next.undoneAt', 'is', null)
              .orderBy('next.at')
              .limit(sql.lit(1)),
          ),
      )
      .select([
        'input.n',
        'partyMove.restaurantId',
        'partyMove.id',
        'partyMove.fromKey',
        'partyMove.fromNumber',
        'partyMove.toKey',
        'partyMove.toNumber',
        'partyMove.at',
        'partyMove.undoneAt',
        'partyMove.requests',
      ])
      .select(selectTableExists),
})

/** Oldest first. */
export const listFollowed = (db: Db, restaurantId: string, after: number): Promise<FollowedMove[]> =>
  selectMoves(db, restaurantId)
    .selectAll()
    .select(selectTableExists)
    .where('at', '>', after)
    .orderBy('at')
    .execute()

/** The moves to the table that were undone at `since` or later, in the order in which they were undone. */
export const listUndone = (
  db: Db,
  { restaurantId, tableKey }: TableKey,
  since: number,
): Promise<PartyMoveRow[]> =>
  db
    .selectFrom('partyMove')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .where('toKey', '=', tableKey)
    .where('undoneAt', '>=', since)
    .orderBy('undoneAt')
    .execute()

/** The last party that left the table before then. */
export async function findLast(
  db: Db,
  { restaurantId, tableKey }: TableKey,
  before: number,
): Promise<PartyMoveRow | undefined> {
  return selectMoves(db, restaurantId)
    .selectAll()
    .where('fromKey', '=', tableKey)
    .where('at', '<', before)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function setRequests(
  db: Db,
  { restaurantId, id }: PartyMoveRow,
  requests: string,
): Promise<void> {
  await db
    .updateTable('partyMove')
    .set({ requests })
    .where((e) => e.and({ restaurantId, id }))
    .execute()
}

/** How long before a move is stored a tap may begin that misses it, with the clocks of several nodes. */
const underWayMs = 5 * secondMs

/**
 * Moves, or if undone the reverse, with requests that may have missed them: just asked for and open at the table that the
 * party has left, where no other move has brought them.
 */
const selectLate = (db: Db) =>
  db.selectFrom('partyMove').innerJoin('serviceRequest as q', (j) =>
    j
      .onRef('q.restaurantId', '=', 'partyMove.restaurantId')
      .on((e) =>
        e(
          'q.tableKey',
          '=',
          e
            .case()
            .when('partyMove.undoneAt', 'is', null)
            .then(e.ref('partyMove.fromKey'))
            .else(e.ref('partyMove.toKey'))
            .end(),
        ),
      )
      .on('q.closedAt', 'is', null)
      .on('q.movedTo', 'is', null)
      .on((e) => e('q.createdAt', '>=', e('partyMove.at', '-', e.lit(underWayMs)))),
  )

/** The moves since then, and those undone since then. */
export async function listWithLate(db: Db, since: number): Promise<PartyMoveRow[]> {
  return selectLate(db)
    .selectAll('partyMove')
    .distinct()
    .where('partyMove.at', '>', since - undoWindowMs)
    .where((e) => e(e.fn.coalesce('partyMove.undoneAt', 'partyMove.at'), '>', since))
    .orderBy('partyMove.at')
    .execute()
}

/** A visit of a device that asked for a request. */
export type AskersVisit = { requestId: string; requestKey: string } & Schema['guestVisit']

export async function listLateVisits(db: Db, { restaurantId, id }: PartyMoveRow): Promise<AskersVisit[]> {
  return selectLate(db)
    .innerJoin('requestEvent as e', (j) =>
      j
        .onRef('e.restaurantId', '=', 'q.restaurantId')
        .onRef('e.requestId', '=', 'q.id')
        .on('e.kind', 'in', ['created', 'asked']),
    )
    .innerJoin('guestVisit as v', (j) =>
      j.onRef('v.restaurantId', '=', 'q.restaurantId').onRef('v.guestId', '=', 'e.actorId'),
    )
    .select(['q.id as requestId', 'q.tableKey as requestKey'])
    .select(['v.restaurantId', 'v.guestId', 'v.tableKey', 'v.startedAt'])
    .distinct()
    .where('partyMove.restaurantId', '=', restaurantId)
    .where('partyMove.id', '=', id)
    .execute()
}

/** Who joined the table then. */
export async function listTo(
  db: Db,
  { restaurantId, tableKey }: TableKey,
  { from, before }: { from: number; before: number },
): Promise<PartyMoveRow[]> {
  return selectMoves(db, restaurantId)
    .selectAll()
    .where('toKey', '=', tableKey)
    .where('at', '>=', from)
    .where('at', '<', before)
    .execute()
}

/** Whether another party has left or joined one of these tables since. */
export const hasLater = (db: Db, { restaurantId, at, fromKey, toKey }: PartyMoveRow): Promise<boolean> =>
  hasRow(
    selectMoves(db, restaurantId)
      .select('id')
      .where('at', '>', at)
      .where((e) => e.or([e('fromKey', 'in', [fromKey, toKey]), e('toKey', 'in', [fromKey, toKey])]))
      .limit(1),
  )

/** The time of the last move in the restaurant that was not undone: no two have the same one. */
export async function findLastAt(db: Db, restaurantId: string): Promise<number> {
  const row = await selectMoves(db, restaurantId)
    .select('at')
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.at ?? 0
}

export const removeOld = (db: Db, step: Step): Promise<number> => removeStep(db, 'partyMove', 'at', step)
