import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await devices(db)
  await requests(db)
  await deliveries(db)
  await db.schema
    .createTable('listening_alarm')
    .addColumn('restaurant_id', 'text', (c) => c.primaryKey().references('restaurant.id').onDelete('cascade'))
    .addColumn('raised_at', 'bigint')
    .execute()
}

async function devices(db: Kysely<unknown>): Promise<void> {
  const alter = () => db.schema.alterTable('push_subscription')
  await alter()
    .addColumn('audience', 'text', (c) => c.notNull().defaultTo('crew'))
    .execute()
  await alter()
    .addColumn('seen_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createIndex('push_subscription_endpoint')
    .on('push_subscription')
    .column('endpoint')
    .unique()
    .execute()
  await db.schema
    .createIndex('push_subscription_session')
    .on('push_subscription')
    .column('session_id')
    .execute()
}

/** The index is partial: where nobody uses push, it costs nothing. */
async function requests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('service_request')
    .addColumn('pushed_level', 'integer', (c) => c.notNull().defaultTo(-1))
    .execute()
  await db.schema
    .createIndex('service_request_pushed')
    .on('service_request')
    .column('restaurant_id')
    .where(sql.ref('pushed_level'), '>=', 0)
    .execute()
}

async function deliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('push_delivery')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('subscription_id', 'text', (c) => c.notNull())
    .addColumn('tag', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('urgency', 'text', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .addColumn('stays', 'integer', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'bigint')
    .addColumn('sender', 'text')
    .addPrimaryKeyConstraint('push_delivery_pk', ['restaurant_id', 'tag', 'subscription_id'])
    .execute()
  await db.schema
    .createIndex('push_delivery_due')
    .on('push_delivery')
    .column('next_at')
    .where(sql.ref('next_at'), 'is not', null)
    .execute()
}
