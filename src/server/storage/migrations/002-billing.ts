import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('payment_customer').addColumn('deleted_at', 'bigint').execute()
  await db.schema.alterTable('subscription').addColumn('setup_intent_id', 'text').execute()
  await db.schema.alterTable('subscription').addColumn('next_plan', 'text').execute()
  await db.schema.alterTable('payment_event').addColumn('customer_id', 'text').execute()
  await db.schema.alterTable('payment_event').addColumn('next_at', 'bigint').execute()
  await db.schema
    .createIndex('payment_event_due')
    .on('payment_event')
    .columns(['provider', 'next_at'])
    .execute()
  await db.schema.createIndex('subscription_read').on('subscription').columns(['provider', 'as_of']).execute()
  await db.schema
    .createTable('billing_lock')
    .addColumn('restaurant_id', 'text', (c) => c.primaryKey().references('restaurant.id').onDelete('cascade'))
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('sandbox_object')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('customer_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('sandbox_object_customer')
    .on('sandbox_object')
    .columns(['customer_id', 'kind'])
    .execute()
}
