import type { Kysely } from 'kysely'

/** Restaurants that are erased at a time that is known already. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('restaurant_ending')
    .addColumn('restaurant_id', 'text', (c) => c.primaryKey().references('restaurant.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('erase_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('restaurant_ending_erase_at')
    .on('restaurant_ending')
    .column('erase_at')
    .execute()
}
