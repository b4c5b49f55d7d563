import { hourMs } from '#contract/durations.ts'
import { defineStatement, isOnly } from '../engine/statement.ts'
import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'
import type { Schema } from '../schema.ts'

export type SeatingRow = Schema['tableSeating']
type TableKey = Pick<SeatingRow, 'restaurantId' | 'tableKey'>

/** The longest that a party stays. Where nobody closed the table, it is closed then. */
const longestSeatingMs = 12 * hourMs

const withoutForgotten = (row: SeatingRow, now: number): SeatingRow =>
  row.seatedAt !== null && row.seatedAt <= now - longestSeatingMs ? { ...row, seatedAt: null } : row

export async function list(db: Db, restaurantId: string, now: number): Promise<SeatingRow[]> {
  const rows = await db
    .selectFrom('tableSeating')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .execute()
  return rows.map((row) => withoutForgotten(row, now))
}

export async function find(
  db: Db,
  { restaurantId, tableKey }: TableKey,
  now: number,
): Promise<SeatingRow | undefined> {
  const row = await db
    .selectFrom('tableSeating')
    .selectAll()
    .where((e) => e.and({ restaurantId, tableKey }))
    .executeTakeFirst()
  return row && withoutForgotten(row, now)
}

/** Until the transaction ends, the tables are not opened or closed, and no tap there is stored. */
export async function lock(
  db: Db,
  restaurantId: string,
  tableKeys: readonly string[],
  now: number,
): Promise<Map<string, SeatingRow>> {
  const rows = await db.runAll(
    lockSeating,
    tableKeys.map((tableKey) => ({ restaurantId, tableKey })),
  )
  return new Map(rows.flat().map((row) => [row.tableKey, withoutForgotten(row, now)]))
}

/** Whether the table is open. It cannot be closed until the transaction ends. */
export async function lockSeated(db: Db, table: TableKey, now: number): Promise<boolean> {
  const [row] = await db.run(lockSeating, table)
  return row !== undefined && withoutForgotten(row, now).seatedAt !== null
}

const lockSeating = defineStatement<TableKey, SeatingRow>({
  name: 'lock-seating',
  input: { restaurantId: 'text', tableKey: 'text' },
  match: ['restaurantId', 'tableKey'],
  query: (db) =>
    db
      .updateTable('tableSeating')
      .from('input')
      .set((e) => ({ seatedAt: e.ref('tableSeating.seatedAt') }))
      .where(isOnly('tableSeating.restaurantId', 'input.restaurantId'))
      .whereRef('tableSeating.tableKey', '=', 'input.tableKey')
      .returning([
        'tableSeating.restaurantId',
        'tableSeating.tableKey',
        'tableSeating.seatedAt',
        'tableSeating.closedAt',
        'tableSeating.beforeSeatedAt',
        'tableSeating.beforeClosedAt',
        'tableSeating.wantedAt',
      ]),
})

export async function put(db: Db, row: SeatingRow): Promise<void> {
  const { restaurantId: _, tableKey: __, ...values } = row
  await db
    .insertInto('tableSeating')
    .values(row)
    .onConflict((c) => c.columns(['restaurantId', 'tableKey']).doUpdateSet(values))
    .execute()
}

/** False when the table is open, or somebody has asked since `since`. */
export async function markWanted(
  db: Db,
  table: TableKey,
  { at, since }: { at: number; since: number },
): Promise<boolean> {
  const inserted = await db
    .insertInto('tableSeating')
    .values({ ...neverSeated, ...table, wantedAt: at })
    .onConflict((c) => c.columns(['restaurantId', 'tableKey']).doNothing())
    .returning('tableKey')
    .executeTakeFirst()
  if (inserted) return true
  const { restaurantId, tableKey } = table
  return hasRow(
    db
      .updateTable('tableSeating')
      .set({ wantedAt: at })
      .where((e) => e.and({ restaurantId, tableKey }))
      .where((e) => e.or([e('seatedAt', 'is', null), e('seatedAt', '<=', at - longestSeatingMs)]))
      .where((e) => e.or([e('wantedAt', 'is', null), e('wantedAt', '<', since)]))
      .returning('tableKey'),
  )
}

export async function remove(db: Db, { restaurantId, tableKey }: TableKey): Promise<void> {
  await db
    .deleteFrom('tableSeating')
    .where((e) => e.and({ restaurantId, tableKey }))
    .execute()
}

export async function removeAll(db: Db, restaurantId: string): Promise<void> {
  await db.deleteFrom('tableSeating').where('restaurantId', '=', restaurantId).execute()
}

export const neverSeated = {
  seatedAt: null,
  closedAt: null,
  beforeSeatedAt: null,
  beforeClosedAt: null,
  wantedAt: null,
} as const
