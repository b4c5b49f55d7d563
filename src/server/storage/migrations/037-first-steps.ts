import { type Kysely, sql } from 'kysely'

/** Who has the first steps behind them: every restaurant so far. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('first_steps_finished')
    .addColumn('restaurant_id', 'text', (c) => c.primaryKey().references('restaurant.id').onDelete('cascade'))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute()
  await sql`insert into first_steps_finished (restaurant_id, at) select id, created_at from restaurant`.execute(
    db,
  )
}
