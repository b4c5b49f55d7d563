import type { Db } from '../engine/types.ts'
import { hasRow } from '../rows.ts'

export async function find(db: Db, id: string): Promise<{ value: string; version: number } | undefined> {
  return db.selectFrom('sandboxObject').select(['value', 'version']).where('id', '=', id).executeTakeFirst()
}

export async function list(db: Db, customerId: string, kind: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sandboxObject')
    .select('value')
    .where((e) => e.and({ customerId, kind }))
    .orderBy('id')
    .execute()
  return rows.map(({ value }) => value)
}

/** False if it already exists. */
export async function insert(
  db: Db,
  object: { id: string; customerId: string; kind: string; value: string },
): Promise<boolean> {
  return hasRow(
    db
      .insertInto('sandboxObject')
      .values({ ...object, version: 1 })
      .onConflict((c) => c.column('id').doNothing())
      .returning('id'),
  )
}

/** False if somebody else has changed it since it was read. */
export async function replace(db: Db, id: string, version: number, value: string): Promise<boolean> {
  return hasRow(
    db
      .updateTable('sandboxObject')
      .set({ value, version: version + 1 })
      .where((e) => e.and({ id, version }))
      .returning('id'),
  )
}
