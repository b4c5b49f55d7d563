import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('section')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('section_pk', ['restaurant_id', 'id'])
    .addUniqueConstraint('section_name', ['restaurant_id', 'name_key'])
    .execute()
  await db.schema.alterTable('floor_table').addColumn('section_id', 'text').execute()
  await db.schema.alterTable('floor_table').addColumn('map_x', 'integer').execute()
  await db.schema.alterTable('floor_table').addColumn('map_y', 'integer').execute()
  await db.schema.alterTable('crew_member').addColumn('section_id', 'text').execute()
  for (const table of ['floor_table', 'crew_member'])
    await db.schema
      .createIndex(`${table}_section`)
      .on(table)
      .columns(['restaurant_id', 'section_id'])
      .where(sql.ref('section_id'), 'is not', null)
      .execute()
}
