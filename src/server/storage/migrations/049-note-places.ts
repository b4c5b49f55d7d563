import type { Kysely } from 'kysely'

/** Since when a note to the manager belongs to a table to which its guest took it; null where it was written. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('manager_note').addColumn('placed_at', 'bigint').execute()
}
