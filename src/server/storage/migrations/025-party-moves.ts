import { type Kysely, sql } from 'kysely'

/** A request keeps the table where it was asked. Where its party went, and what it joined there, stand beside it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('service_request').addColumn('moved_to', 'text').execute()
  await db.schema.alterTable('service_request').addColumn('merged_into', 'text').execute()
  await db.schema
    .createTable('party_move')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('from_key', 'text', (c) => c.notNull())
    .addColumn('from_number', 'text', (c) => c.notNull())
    .addColumn('to_key', 'text', (c) => c.notNull())
    .addColumn('to_number', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('undone_at', 'bigint')
    .addColumn('requests', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('party_move_pk', ['restaurant_id', 'id'])
    .execute()
  await db.schema.createIndex('party_move_at').on('party_move').column('at').execute()
  for (const side of ['from', 'to']) {
    await db.schema
      .createIndex(`party_move_${side}`)
      .on('party_move')
      .columns(['restaurant_id', `${side}_key`, 'at'])
      .where(sql.ref('undone_at'), 'is', null)
      .execute()
  }
}
