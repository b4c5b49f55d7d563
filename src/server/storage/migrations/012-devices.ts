import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('session').addColumn('browser', 'text').execute()
  await db.schema.alterTable('session').addColumn('name', 'text').execute()
  // Until now, devices could sign in only with the account's password.
  await db.schema
    .alterTable('session_grant')
    .addColumn('via', 'text', (c) => c.notNull().defaultTo('password'))
    .execute()
  await db.schema.createIndex('session_restaurant').on('session').column('restaurant_id').execute()
  await db.schema.alterTable('restaurant').addColumn('staff_password_hash', 'text').execute()
  await db.schema.alterTable('restaurant').addColumn('staff_password_set_at', 'bigint').execute()
  await db.schema
    .createTable('device_code')
    .addColumn('restaurant_id', 'text', (c) => c.primaryKey().references('restaurant.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('digits_proof', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('made_by', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .addColumn('used_by', 'text')
    .execute()
}
