import type { Kysely } from 'kysely'

/** The restaurants of an owner besides the one that is their home. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('membership')
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owner.id').onDelete('cascade'))
    .addColumn('restaurant_id', 'text', (c) =>
      c.notNull().unique().references('restaurant.id').onDelete('cascade'),
    )
    .addColumn('added_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('membership_pk', ['owner_id', 'restaurant_id'])
    .execute()
}
