import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * While a table is empty, all indexes that begin with the restaurant look equally good to PostgreSQL, and it takes the
 * newest. Connections keep such a plan for a while, foreign keys theirs too, so the newest ones are now those that lead to a
 * single row. A database that holds requests is planned for by counting them, and would stand still meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  const { rows } = await sql`select 1 from service_request limit 1`.execute(db)
  if (rows.length > 0) return
  await sql`alter table request_event drop constraint request_event_pk,
    add constraint request_event_pk primary key (restaurant_id, id)`.execute(db)
  await db.schema.dropIndex('service_request_id').execute()
  await db.schema.createIndex('service_request_id').on('service_request').column('id').execute()
  await db.schema.dropIndex('service_request_open').execute()
  await db.schema
    .createIndex('service_request_open')
    .unique()
    .on('service_request')
    .columns(['restaurant_id', 'table_key', 'service_type'])
    .where(sql.ref('closed_at'), 'is', null)
    .execute()
}
