import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('service_request')
    .addColumn('crew', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  for (const column of ['next_level_at', 'accept_until']) {
    await db.schema.alterTable('service_request').addColumn(column, 'bigint').execute()
    await db.schema
      .createIndex(`service_request_${column}`)
      .on('service_request')
      .column(column)
      .where(sql.ref(column), 'is not', null)
      .execute()
  }
  await db.schema
    .createTable('alert_setting')
    .addColumn('restaurant_id', 'text', (c) => c.primaryKey().references('restaurant.id').onDelete('cascade'))
    .addColumn('settings', 'text', (c) => c.notNull())
    .execute()
}
