import { type Kysely, sql } from 'kysely'

/** What an address outside gets, and when its next weekly report is due. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const channels = db.schema.alterTable('outside_channel')
  await channels.addColumn('gets_alerts', 'integer', (c) => c.notNull().defaultTo(1)).execute()
  await channels.addColumn('report_at', 'bigint').execute()
  await channels.addColumn('reported_week', 'text').execute()
  await db.schema
    .createIndex('outside_channel_report')
    .on('outside_channel')
    .column('report_at')
    .where(sql.ref('report_at'), 'is not', null)
    .execute()
}
