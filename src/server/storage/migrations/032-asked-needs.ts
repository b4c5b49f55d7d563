import { type Kysely, sql } from 'kysely'

/** What a request's restaurant calls its need, with the guest's choice and note. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['need', 'choice', 'note'])
    await db.schema.alterTable('service_request').addColumn(column, 'text').execute()
  await db.schema.alterTable('service_request').addColumn('note_at', 'bigint').execute()
  await db.schema
    .createIndex('service_request_note')
    .on('service_request')
    .column('note_at')
    .where(sql.ref('note_at'), 'is not', null)
    .execute()
}
