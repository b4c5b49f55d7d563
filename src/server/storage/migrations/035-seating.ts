import type { Kysely } from 'kysely'

/** Tables that the crew opens and closes, and the owner's switch for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('restaurant')
    .addColumn('seating', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('table_seating')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('table_key', 'text', (c) => c.notNull())
    .addColumn('seated_at', 'bigint')
    .addColumn('closed_at', 'bigint')
    .addColumn('before_seated_at', 'bigint')
    .addColumn('before_closed_at', 'bigint')
    .addColumn('wanted_at', 'bigint')
    .addPrimaryKeyConstraint('table_seating_pk', ['restaurant_id', 'table_key'])
    .execute()
}
