import type { Kysely } from 'kysely'

/**
 * Who works which table on a weekday, the days that this has filled, and those that it leaves alone. A deleted table
 * keeps its place in the pattern for when it is restored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const create = (table: string) =>
    db.schema
      .createTable(table)
      .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
  await create('weekly_pattern')
    .addColumn('filled_to', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('weekly_pattern_pk', ['restaurant_id'])
    .execute()
  await db.schema.createIndex('weekly_pattern_filled_to').on('weekly_pattern').column('filled_to').execute()
  await create('pattern_assignment')
    .addColumn('weekday', 'integer', (c) => c.notNull())
    .addColumn('table_id', 'text', (c) => c.notNull())
    .addColumn('slot', 'text', (c) => c.notNull())
    .addColumn('crew_member_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('pattern_assignment_pk', ['restaurant_id', 'weekday', 'table_id', 'slot'])
    .execute()
  await create('planned_day')
    .addColumn('date', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('planned_day_pk', ['restaurant_id', 'date'])
    .execute()
}
