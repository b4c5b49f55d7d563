import { type Kysely, sql } from 'kysely'

/** The owner's switches for codes and PINs, and the tables that the crew muted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['verified_only', 'pin_required']) {
    await db.schema
      .alterTable('restaurant')
      .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
      .execute()
  }
  await db.schema
    .createTable('muted_table')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('table_key', 'text', (c) => c.notNull())
    .addColumn('table_number', 'text', (c) => c.notNull())
    .addColumn('until', 'bigint')
    .addColumn('by_id', 'text')
    .addColumn('by_name', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('muted_table_pk', ['restaurant_id', 'table_key'])
    .execute()
  await db.schema
    .createIndex('muted_table_due')
    .on('muted_table')
    .column('until')
    .where(sql.ref('until'), 'is not', null)
    .execute()
}
