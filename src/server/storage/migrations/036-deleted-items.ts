import type { Kysely } from 'kysely'

/** What owners deleted, and the assignments that went with it, until it is restored or 30 days are over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deleted_item')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('deleted_item_pk', ['restaurant_id', 'kind', 'id'])
    .execute()
  await db.schema
    .createTable('deleted_assignment')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('table_id', 'text', (c) => c.notNull())
    .addColumn('crew_member_id', 'text', (c) => c.notNull())
    .addColumn('date', 'text', (c) => c.notNull())
    .addColumn('slot', 'text', (c) => c.notNull())
    .addColumn('deleted_on', 'text', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('deleted_assignment_pk', [
      'restaurant_id',
      'table_id',
      'crew_member_id',
      'date',
      'slot',
    ])
    .execute()
  for (const table of ['deleted_item', 'deleted_assignment'])
    await db.schema.createIndex(`${table}_deleted_at`).on(table).column('deleted_at').execute()
}
