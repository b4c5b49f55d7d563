import type { Db } from './engine/types.ts'
import { hasRow } from './rows.ts'

export async function get(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

export async function put(db: Db, name: string, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ name, value })
    .onConflict((c) => c.column('name').doUpdateSet({ value }))
    .execute()
}

/** Returns the value that is there first: two nodes may start at the same moment. */
export async function putIfAbsent(db: Db, name: string, value: string): Promise<string> {
  await db
    .insertInto('setting')
    .values({ name, value })
    .onConflict((c) => c.column('name').doNothing())
    .execute()
  return (await get(db, name)) ?? value
}

/** False when another node has changed it since, so that it holds none of `before`. */
export const replace = (
  db: Db,
  name: string,
  { before, after }: { before: readonly string[]; after: string },
): Promise<boolean> =>
  hasRow(
    db
      .updateTable('setting')
      .set({ value: after })
      .where('name', '=', name)
      .where('value', 'in', before)
      .returning('name'),
  )
