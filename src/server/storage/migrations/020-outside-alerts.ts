import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('outside_alert_setting')
    .addColumn('restaurant_id', 'text', (c) => c.primaryKey().references('restaurant.id').onDelete('cascade'))
    .addColumn('after_ms', 'bigint', (c) => c.notNull())
    .execute()
  await channels(db)
  await alerts(db)
}

async function channels(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('outside_channel')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('secret', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('confirmed_at', 'bigint')
    .addColumn('code_proof', 'text')
    .addColumn('code_expires_at', 'bigint')
    .addColumn('code_tries', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('next_at', 'bigint')
    .addColumn('leased_until', 'bigint')
    .addColumn('failing', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('last_at', 'bigint')
    .addColumn('last_problem', 'text')
    .addPrimaryKeyConstraint('outside_channel_pk', ['restaurant_id', 'id'])
    .execute()
  await db.schema
    .createIndex('outside_channel_due')
    .on('outside_channel')
    .columns(['kind', 'failing', 'next_at'])
    .where(sql.ref('next_at'), 'is not', null)
    .execute()
}

async function alerts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('outside_alert')
    .addColumn('restaurant_id', 'text', (c) => c.notNull())
    .addColumn('channel_id', 'text', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('done_at', 'bigint')
    .addPrimaryKeyConstraint('outside_alert_pk', ['restaurant_id', 'channel_id', 'request_id'])
    .addForeignKeyConstraint(
      'outside_alert_channel',
      ['restaurant_id', 'channel_id'],
      'outside_channel',
      ['restaurant_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createIndex('outside_alert_open')
    .on('outside_alert')
    .columns(['restaurant_id', 'channel_id', 'due_at'])
    .where(sql.ref('done_at'), 'is', null)
    .execute()
}
