import type { Kysely } from 'kysely'

/** What guests can ask for, in which order and under which names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('restaurant').addColumn('needs', 'text').execute()
}
