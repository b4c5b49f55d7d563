import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('table_button')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('table_id', 'text', (c) => c.notNull())
    .addColumn('service_type', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('pressed_at', 'bigint')
    .addPrimaryKeyConstraint('table_button_pk', ['restaurant_id', 'id'])
    .addForeignKeyConstraint(
      'table_button_table',
      ['restaurant_id', 'table_id'],
      'floor_table',
      ['restaurant_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('table_button_by_table')
    .on('table_button')
    .columns(['restaurant_id', 'table_id'])
    .execute()
  await db.schema
    .alterTable('service_request')
    .addColumn('by_button', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}
