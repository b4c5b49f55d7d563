import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('service_request')
    .addColumn('called', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await sql`update service_request set called = accepted_by where closed_at is null and accepted_by is not null`.execute(
    db,
  )
  await db.schema
    .createIndex('service_request_called')
    .on('service_request')
    .column('restaurant_id')
    .where(sql<boolean>`closed_at is null and called <> ''`)
    .execute()
}
