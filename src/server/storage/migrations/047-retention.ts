import { type Kysely, sql } from 'kysely'

/** For how long a restaurant keeps what. Those that exist already go on keeping messages for 30 days. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('retention')
    .addColumn('restaurant_id', 'text', (c) => c.primaryKey().references('restaurant.id').onDelete('cascade'))
    .addColumn('request_days', 'integer')
    .addColumn('message_days', 'integer')
    .addColumn('log_days', 'integer')
    .addColumn('requests_removed_before', 'bigint')
    .addColumn('messages_removed_before', 'bigint')
    .addColumn('log_removed_before', 'bigint')
    .addColumn('undo', 'text')
    .addColumn('run_at', 'bigint')
    .addColumn('leased_until', 'bigint')
    .execute()
  await sql`insert into retention (restaurant_id, message_days, run_at) select id, 30, 0 from restaurant`.execute(
    db,
  )
  await db.schema
    .createIndex('retention_run_at')
    .on('retention')
    .column('run_at')
    .where(sql.ref('run_at'), 'is not', null)
    .execute()
  // By restaurant, in place of the index by time alone.
  await db.schema
    .createIndex('team_message_by_time')
    .on('team_message')
    .columns(['restaurant_id', 'created_at'])
    .execute()
  await db.schema.dropIndex('team_message_created_at').execute()
}
