import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('role_call')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('message_key', 'text', (c) => c.notNull())
    .addColumn('table_number', 'text')
    .addColumn('from_id', 'text', (c) => c.notNull())
    .addColumn('from_name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('alerts', 'integer', (c) => c.notNull())
    .addColumn('next_alert_at', 'bigint')
    .addColumn('claimed_at', 'bigint')
    .addColumn('claimed_by', 'text')
    .addColumn('claimed_by_name', 'text')
    .addPrimaryKeyConstraint('role_call_pk', ['restaurant_id', 'id'])
    .execute()
  await db.schema
    .createIndex('role_call_due')
    .on('role_call')
    .column('next_alert_at')
    .where(sql.ref('next_alert_at'), 'is not', null)
    .execute()
  await db.schema
    .createTable('crew_break')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('crew_member_id', 'text', (c) => c.notNull())
    .addColumn('cover_id', 'text')
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('crew_break_pk', ['restaurant_id', 'crew_member_id'])
    .execute()
}
