import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('service_request')
    .addColumn('still_waiting', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('service_request').addColumn('still_waiting_at', 'bigint').execute()
}
