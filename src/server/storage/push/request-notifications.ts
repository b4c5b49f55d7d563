import { sql } from 'kysely'
import type { Db } from '../engine/types.ts'
import { acceptanceShown } from '../requests/request-transitions.ts'
import type { RequestRow } from '../requests/requests.ts'
import { countRows, hasRow } from '../rows.ts'

/**
 * Requests whose notifications are out of date, in restaurants that have devices: they wait at a higher level than was
 * pushed, or were accepted or closed after they were pushed, or whoever accepted them is to be reminded.
 */
export async function listDue(db: Db, limit: number, restaurantId?: string): Promise<RequestRow[]> {
  const { waiting, settled } = dueQueries(db, limit, restaurantId)
  return [...(await waiting.execute()), ...(await settled.execute())]
}

/** Each finds its rows in a partial index, which repeats its conditions. */
export function dueQueries(db: Db, limit: number, restaurantId?: string) {
  const rows = () => {
    const query = db
      .selectFrom('serviceRequest')
      .selectAll()
      .where((e) =>
        e.exists(
          e
            .selectFrom('pushSubscription')
            .select('id')
            .whereRef('pushSubscription.restaurantId', '=', 'serviceRequest.restaurantId'),
        ),
      )
      .limit(limit)
    return restaurantId === undefined ? query : query.where('restaurantId', '=', restaurantId)
  }
  const settled =
    restaurantId === undefined
      ? rows().where(isOutdated)
      : rows().where('pushedLevel', '>=', sql.lit(0)).where(isSettled)
  return { waiting: rows().where(isUnpushed), settled }
}

/** Waits at a higher level than was pushed. */
export const isUnpushed = sql<boolean>`
  closed_at is null and accepted_at is null and pushed_level < level`

/** Literals: SQLite uses no partial index for parameters. */
const isSettled = sql<boolean>`
  ((accepted_at is not null and pushed_level != ${sql.lit(acceptanceShown)}) or closed_at is not null)`

/**
 * Was accepted or closed after it was pushed, or whoever accepted it is to be reminded. Not `>= 0`: PostgreSQL would take
 * the index of all requests that phones show.
 */
export const isOutdated = sql<boolean>`pushed_level > -1 and ${isSettled}`

/** False if the request has changed since it was read, or another node was first. */
export async function claim(db: Db, row: RequestRow, pushedLevel: number): Promise<boolean> {
  const { restaurantId, id, level, called } = row
  return hasRow(
    db
      .updateTable('serviceRequest')
      .set({ pushedLevel })
      .where((e) => e.and({ restaurantId, id, level, called, pushedLevel: row.pushedLevel }))
      .where('acceptedAt', row.acceptedAt === null ? 'is' : '=', row.acceptedAt)
      .where('closedAt', row.closedAt === null ? 'is' : '=', row.closedAt)
      .returning('id'),
  )
}

export const countWaiting = (db: Db, restaurantId: string): Promise<number> =>
  countRows(
    db
      .selectFrom('serviceRequest')
      .where('restaurantId', '=', restaurantId)
      .where('closedAt', 'is', null)
      .where('acceptedAt', 'is', null),
  )
