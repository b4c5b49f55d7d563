import { type Kysely, sql } from 'kysely'

/**
 * The requests that phones show as nobody's although somebody is on the way or they are closed, and those of which somebody
 * is to be reminded: they are looked for every second, in all restaurants, among all requests that phones show. Not `>= 0`:
 * PostgreSQL would take the index of all those for the same.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index service_request_push_outdated on service_request (pushed_level)
    where pushed_level > -1 and ((accepted_at is not null and pushed_level != 4) or closed_at is not null)`.execute(
    db,
  )
}
