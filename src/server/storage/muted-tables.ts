import type { MutedTable } from '#contract/mutes.ts'
import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

type Row = Schema['mutedTable']

export async function list(db: Db, restaurantId: string): Promise<MutedTable[]> {
  const rows = await db
    .selectFrom('mutedTable')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .orderBy('tableKey')
    .execute()
  return rows.map(({ tableNumber, until, byId, byName }) => ({
    tableNumber,
    until,
    by: { id: byId, name: byName },
  }))
}

export async function put(db: Db, row: Row): Promise<void> {
  const { restaurantId: _, tableKey: __, ...values } = row
  await db
    .insertInto('mutedTable')
    .values(row)
    .onConflict((c) => c.columns(['restaurantId', 'tableKey']).doUpdateSet(values))
    .execute()
}

/** The number by which guests know it; nothing when it was not muted. */
export async function remove(
  db: Db,
  { restaurantId, tableKey }: Pick<Row, 'restaurantId' | 'tableKey'>,
): Promise<string | undefined> {
  const row = await db
    .deleteFrom('mutedTable')
    .where('restaurantId', '=', restaurantId)
    .where('tableKey', '=', tableKey)
    .returning('tableNumber')
    .executeTakeFirst()
  return row?.tableNumber
}

export async function isMuted(
  db: Db,
  { restaurantId, tableKey }: Pick<Row, 'restaurantId' | 'tableKey'>,
  now: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('mutedTable')
    .select('tableKey')
    .where('restaurantId', '=', restaurantId)
    .where('tableKey', '=', tableKey)
    .where((e) => e.or([e('until', 'is', null), e('until', '>', now)]))
    .executeTakeFirst()
  return row !== undefined
}

/** In whatever restaurant. */
export async function listExpired(db: Db, now: number): Promise<Pick<Row, 'restaurantId' | 'tableKey'>[]> {
  return db
    .selectFrom('mutedTable')
    .select(['restaurantId', 'tableKey'])
    .where('until', '<=', now)
    .limit(200)
    .execute()
}

/** False when it was unmuted, or muted for longer, meanwhile. */
export async function removeExpired(
  db: Db,
  { restaurantId, tableKey }: Pick<Row, 'restaurantId' | 'tableKey'>,
  now: number,
): Promise<boolean> {
  const row = await db
    .deleteFrom('mutedTable')
    .where('restaurantId', '=', restaurantId)
    .where('tableKey', '=', tableKey)
    .where('until', '<=', now)
    .returning('tableKey')
    .executeTakeFirst()
  return row !== undefined
}
