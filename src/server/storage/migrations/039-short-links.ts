import type { Kysely } from 'kysely'

/** A link for each table that guests can type. It outlives its table, which may be restored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('short_link')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('table_id', 'text', (c) => c.notNull())
    .addColumn('code', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('short_link_pk', ['restaurant_id', 'table_id'])
    .execute()
}
