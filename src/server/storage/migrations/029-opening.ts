import type { Kysely } from 'kysely'

/** Opening hours, and what is paused. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('restaurant').addColumn('opening', 'text').execute()
}
