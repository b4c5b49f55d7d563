import { type Kysely, sql } from 'kysely'

/** When the push of a message is due that the server which took it has not begun; of few, and only for a moment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('team_message').addColumn('push_due_at', 'bigint').execute()
  await db.schema
    .createIndex('team_message_push_due')
    .on('team_message')
    .column('push_due_at')
    .where(sql.ref('push_due_at'), 'is not', null)
    .execute()
}
