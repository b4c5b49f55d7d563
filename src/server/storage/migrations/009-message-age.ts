import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('team_message_created_at').on('team_message').columns(['created_at']).execute()
}
