import type { Db } from './engine/types.ts'

export async function find(db: Db, id: string): Promise<{ value: string; version: number } | undefined> {
  return db.selectFrom('sandboxObject').select(['value', 'version']).where('id', '=', id).executeTakeFirst()
}

export async function list(db: Db, customerId: string, kind: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sandboxObject')
    .select('value')
    .where('customerId', '=', customerId)
    .where('kind', '=', kind)
    .orderBy('id')
    .execute()
  return rows.map(({ value }) => value)
}

/** False when it is there already. */
export async function insert(
  db: Db,
  object: { id: string; customerId: string; kind: string; value: string },
): Promise<boolean> {
  const row = await db
    .insertInto('sandboxObject')
    .values({ ...object, version: 1 })
    .onConflict((c) => c.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** False when somebody else changed it since it was read. */
export async function replace(db: Db, id: string, version: number, value: string): Promise<boolean> {
  const row = await db
    .updateTable('sandboxObject')
    .set({ value, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
