import { sql } from 'kysely'
import type { Db } from './engine/types.ts'
import { reminderSent, type RequestRow } from './requests.ts'

/**
 * Requests of which devices do not show what is true: they wait at a higher level than is shown, or somebody is on
 * the way to them or they are over and yet are shown, or whoever is on the way is to be reminded. Only where any
 * device is.
 */
export async function listDue(db: Db, limit: number, restaurantId?: string): Promise<RequestRow[]> {
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
  const waiting = rows()
    .where('closedAt', 'is', null)
    .where('acceptedAt', 'is', null)
    .whereRef('pushedLevel', '<', 'level')
  // A literal, or SQLite would not use the index that holds only these.
  const settled = rows()
    .where('pushedLevel', '>=', sql.lit(0))
    .where((e) =>
      e.or([
        e.and([e('acceptedAt', 'is not', null), e('pushedLevel', '<', reminderSent)]),
        e('closedAt', 'is not', null),
      ]),
    )
  return [...(await waiting.execute()), ...(await settled.execute())]
}

/** False when the request changed since it was read, or another node was first. */
export async function claim(db: Db, row: RequestRow, pushedLevel: number): Promise<boolean> {
  const claimed = await db
    .updateTable('serviceRequest')
    .set({ pushedLevel })
    .where('restaurantId', '=', row.restaurantId)
    .where('id', '=', row.id)
    .where('pushedLevel', '=', row.pushedLevel)
    .where('level', '=', row.level)
    .where('acceptedAt', row.acceptedAt === null ? 'is' : '=', row.acceptedAt)
    .where('closedAt', row.closedAt === null ? 'is' : '=', row.closedAt)
    .returning('id')
    .executeTakeFirst()
  return claimed !== undefined
}

export async function countWaiting(db: Db, restaurantId: string): Promise<number> {
  const { n } = await db
    .selectFrom('serviceRequest')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('restaurantId', '=', restaurantId)
    .where('closedAt', 'is', null)
    .where('acceptedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return n
}
