import type { Kysely } from 'kysely'

/** What phones were sent is removed by when it expired; many restaurants send millions a day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('push_delivery_until').on('push_delivery').column('until').execute()
}
