import { type Kysely, sql } from 'kysely'

/**
 * The calls of a restaurant that nobody has claimed, among all that it keeps. Not a partial index: PostgreSQL would rather
 * read all of it while it takes the table for empty, and that are the open calls of all restaurants.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index role_call_open on role_call (restaurant_id, coalesce(claimed_at, 0))`.execute(db)
}
