import type { Kysely } from 'kysely'

/** Links and the Wi-Fi that guests find beside their requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('restaurant').addColumn('guest_card', 'text').execute()
}
