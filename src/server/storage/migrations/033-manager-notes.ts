import type { Kysely } from 'kysely'

/** What guests write to the manager, and the owner's switch for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('restaurant')
    .addColumn('manager_notes', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('manager_note')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('table_key', 'text', (c) => c.notNull())
    .addColumn('table_number', 'text', (c) => c.notNull())
    .addColumn('guest_id', 'text')
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('verified', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint')
    .addColumn('taken_at', 'bigint')
    .addColumn('taken_by', 'text')
    .addColumn('closed_at', 'bigint')
    .addColumn('answer', 'text')
    .addPrimaryKeyConstraint('manager_note_pk', ['restaurant_id', 'id'])
    .execute()
  await db.schema
    .createIndex('manager_note_by_age')
    .on('manager_note')
    .columns(['restaurant_id', 'created_at'])
    .execute()
  await db.schema
    .createIndex('manager_note_of_guest')
    .on('manager_note')
    .columns(['restaurant_id', 'guest_id'])
    .execute()
}
