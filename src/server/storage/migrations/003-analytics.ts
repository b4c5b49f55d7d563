import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  const requests = db.schema.alterTable('service_request')
  await requests.addColumn('seen_at', 'bigint').execute()
  await requests.addColumn('answered_at', 'bigint').execute()
  await requests.addColumn('answered_by', 'text').execute()
  await sql`update service_request set answered_at = accepted_at, answered_by = accepted_by`.execute(db)
  await sql`
    update service_request set seen_at = (
      select min(request_event.at) from request_event
      where request_event.restaurant_id = service_request.restaurant_id
        and request_event.request_id = service_request.id and request_event.kind = 'seen')
    where seen > 0`.execute(db)
  // Covers every column that figures need, so that a whole season is read without touching the rows.
  await db.schema
    .createIndex('service_request_figures')
    .on('service_request')
    .columns([
      'restaurant_id',
      'created_at',
      'service_type',
      'table_number',
      'asks',
      'seen_at',
      'answered_at',
      'closed_at',
      'closed_as',
    ])
    .execute()
  await sql`
    create index request_event_alarms on request_event (restaurant_id, at)
    where kind in ('escalated', 'still_waiting')`.execute(db)
  await db.schema
    .createIndex('listening_change_by_time')
    .on('listening_change')
    .columns(['restaurant_id', 'at'])
    .execute()
}
