import type { Kysely } from 'kysely'

/** Who had the phone for which a notification was stored; null for those that the version before stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['audience', 'crew_member_id'])
    await db.schema.alterTable('push_delivery').addColumn(column, 'text').execute()
}
