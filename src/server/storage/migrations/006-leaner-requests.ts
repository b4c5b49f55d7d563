import { type Kysely, sql } from 'kysely'

/**
 * Every tap writes every index, so those that no query reads are dropped. Open and closed requests get an index each,
 * so that the few open ones are found without reading a long history.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('service_request_day').execute()
  await db.schema.dropIndex('request_event_by_time').execute()
  await db.schema.dropIndex('service_request_closed').execute()
  await db.schema
    .createIndex('service_request_closed')
    .on('service_request')
    .columns(['restaurant_id', 'closed_at'])
    .where(sql.ref('closed_at'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('service_request_waiting')
    .on('service_request')
    .columns(['restaurant_id', 'created_at', 'id'])
    .where(sql.ref('closed_at'), 'is', null)
    .execute()
}
