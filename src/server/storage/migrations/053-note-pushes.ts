import { type Kysely, sql } from 'kysely'

/** When the push of a guest's note is due that the server which took it has not begun; of few, and only for a moment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('manager_note').addColumn('push_due_at', 'bigint').execute()
  await db.schema
    .createIndex('manager_note_push_due')
    .on('manager_note')
    .column('push_due_at')
    .where(sql.ref('push_due_at'), 'is not', null)
    .execute()
}
