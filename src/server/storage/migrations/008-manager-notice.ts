import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('restaurant').addColumn('device_set_up_at', 'bigint').execute()
}
