import type { MutedTable } from '#contract/requests/muted-tables.ts'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

type Row = Schema['mutedTable']
type TableKey = Pick<Row, 'restaurantId' | 'tableKey'>

export async function list(db: Db, restaurantId: string): Promise<MutedTable[]> {
  const rows = await db.run(listMuted, { restaurantId })
  return rows.map(({ tableNumber, until, byId, byName }) => ({
    tableNumber,
    until,
    by: { id: byId, name: byName },
  }))
}

const listMuted = defineStatement<
  { restaurantId: string },
  Omit<Row, 'restaurantId' | 'tableKey'> & { n: number }
>({
  name: 'muted-tables',
  input: { restaurantId: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('mutedTable', (j) => j.on(isOnly('mutedTable.restaurantId', 'input.restaurantId')))
      .select(['input.n', 'tableNumber', 'until', 'byId', 'byName'])
      .orderBy('tableKey'),
})

export async function put(db: Db, row: Row): Promise<void> {
  const { restaurantId: _, tableKey: __, ...values } = row
  await db
    .insertInto('mutedTable')
    .values(row)
    .onConflict((c) => c.columns(['restaurantId', 'tableKey']).doUpdateSet(values))
    .execute()
}

const removal = (db: Db, { restaurantId, tableKey }: TableKey) =>
  db
    .deleteFrom('mutedTable')
    .where((e) => e.and({ restaurantId, tableKey }))
    .returning('tableNumber')

/** The table's number as guests know it; undefined when it was not muted. */
export const remove = async (db: Db, table: TableKey): Promise<string | undefined> =>
  (await removal(db, table).executeTakeFirst())?.tableNumber

/** False when it was unmuted, or muted for longer, in the meantime. */
export const removeExpired = (db: Db, table: TableKey, now: number): Promise<boolean> =>
  hasRow(removal(db, table).where('until', '<=', now))

/** In all restaurants. */
export async function listExpired(db: Db, now: number): Promise<TableKey[]> {
  return db
    .selectFrom('mutedTable')
    .select(['restaurantId', 'tableKey'])
    .where('until', '<=', now)
    .limit(200)
    .execute()
}
