import { sql } from 'kysely'
import type { OutsideChannelKind } from '#contract/outside/outside-alerts.ts'
import type { QueryDb } from '../engine/types.ts'

type Engine = 'sqlite' | 'postgres'

/** Every table that holds rows of single restaurants, as it is called in the database. */
export async function listRestaurantTables(db: QueryDb, engine: Engine): Promise<string[]> {
  const query =
    engine === 'sqlite'
      ? sql<{ name: string }>`select t.name as name from sqlite_master t, pragma_table_info(t.name) c
          where t.type = 'table' and c.name = 'restaurant_id' order by 1`
      : sql<{ name: string }>`select table_name as name from information_schema.columns
          where table_schema = current_schema() and column_name = 'restaurant_id' order by 1`
  const { rows } = await query.execute(db)
  return rows.map(({ name }) => name)
}

/** How many rows a restaurant has in each of the tables where it has any. */
export async function countRows(
  db: QueryDb,
  engine: Engine,
  restaurantId: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of await listRestaurantTables(db, engine)) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(name)} where restaurant_id = ${restaurantId}`.execute(db)
    const count = rows[0]?.count ?? 0
    if (count > 0) counts[name] = count
  }
  return counts
}

export type OutsideReceiver = { kind: OutsideChannelKind; address: string; lastAt: number | null }

/** Who outside is sent alarms and reports, and when last. */
export const listReceivers = (db: QueryDb, restaurantId: string): Promise<OutsideReceiver[]> =>
  db
    .selectFrom('outsideChannel')
    .select(['kind', 'address', 'lastAt'])
    .where('restaurantId', '=', restaurantId)
    .where('confirmedAt', 'is not', null)
    .orderBy('createdAt')
    .execute()

/** What the payment provider and its webhooks left here, which names a customer and no restaurant. */
export async function erasePayments(db: QueryDb, customerId: string): Promise<void> {
  await db.deleteFrom('paymentEvent').where('customerId', '=', customerId).execute()
  await db.deleteFrom('sandboxObject').where('customerId', '=', customerId).execute()
}

export const findSubscriptions = (
  db: QueryDb,
  restaurantId: string,
): Promise<{ provider: string; status: string; cancelAtPeriodEnd: number }[]> =>
  db
    .selectFrom('subscription')
    .select(['provider', 'status', 'cancelAtPeriodEnd'])
    .where('restaurantId', '=', restaurantId)
    .execute()

/** Makes SQLite overwrite what is deleted, instead of leaving it in the file until the room is needed. */
export async function setSecureDelete(db: QueryDb, on: boolean): Promise<void> {
  await sql`pragma secure_delete = ${sql.raw(on ? 'on' : 'off')}`.execute(db)
}
