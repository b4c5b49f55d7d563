import { type Kysely, sql } from 'kysely'

/** What webhooks are told of as it happens, and the log of what they were told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const channels = db.schema.alterTable('outside_channel')
  await channels.addColumn('topics', 'text').execute()
  await channels.addColumn('looked_until', 'bigint').execute()
  await db.schema
    .createIndex('outside_channel_topics')
    .on('outside_channel')
    .column('restaurant_id')
    .where(sql.ref('topics'), 'is not', null)
    .execute()
  await db.schema
    .createTable('outside_event')
    .addColumn('restaurant_id', 'text', (c) => c.notNull())
    .addColumn('channel_id', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('done_at', 'bigint')
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('last_at', 'bigint')
    .addColumn('last_problem', 'text')
    .addPrimaryKeyConstraint('outside_event_pk', ['restaurant_id', 'channel_id', 'source'])
    .addForeignKeyConstraint(
      'outside_event_channel',
      ['restaurant_id', 'channel_id'],
      'outside_channel',
      ['restaurant_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('outside_event_log')
    .unique()
    .on('outside_event')
    .columns(['restaurant_id', 'id'])
    .execute()
  await db.schema
    .createIndex('outside_event_open')
    .on('outside_event')
    .columns(['restaurant_id', 'channel_id', 'due_at'])
    .where(sql.ref('done_at'), 'is', null)
    .execute()
}
