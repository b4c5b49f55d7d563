import type { Kysely } from 'kysely'

/** What requests sound like on the crew's screens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('restaurant')
    .addColumn('alarm_set', 'text', (c) => c.notNull().defaultTo('bells'))
    .execute()
}
