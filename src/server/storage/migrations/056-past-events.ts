import type { Kysely } from 'kysely'

/** What webhooks are not to be told of, because it happened before; it would be found where the clock was set back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('outside_past_event')
    .addColumn('restaurant_id', 'text', (c) => c.notNull())
    .addColumn('channel_id', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('outside_past_event_pk', ['restaurant_id', 'channel_id', 'source'])
    .addForeignKeyConstraint(
      'outside_past_event_channel',
      ['restaurant_id', 'channel_id'],
      'outside_channel',
      ['restaurant_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await db.schema.createIndex('outside_past_event_at').on('outside_past_event').column('at').execute()
}
