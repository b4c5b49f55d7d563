import { type Kysely, sql } from 'kysely'

/**
 * What is looked for in all restaurants at once: every second the requests that phones have not been told of, every ten
 * minutes what is too old to be kept. Few rows at a time, among all that are stored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('service_request_unpushed')
    .on('service_request')
    .column('pushed_level')
    .where(sql.ref('closed_at'), 'is', null)
    .where(sql.ref('accepted_at'), 'is', null)
    .where(sql.ref('pushed_level'), '<', sql.ref('level'))
    .execute()
  await db.schema.createIndex('manager_note_created_at').on('manager_note').column('created_at').execute()
  for (const table of ['outside_event', 'outside_alert'])
    await db.schema
      .createIndex(`${table}_done_at`)
      .on(table)
      .column('done_at')
      .where(sql.ref('done_at'), 'is not', null)
      .execute()
}
