import { type Kysely, sql } from 'kysely'

/** Every grant says for which restaurant it was given; null for an owner before onboarding. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('session_grant')
    .addColumn('restaurant_id', 'text', (c) => c.references('restaurant.id').onDelete('cascade'))
    .execute()
  await sql`update session_grant set restaurant_id =
    (select session.restaurant_id from session where session.id = session_grant.session_id)`.execute(db)
  await removeStrangers(db)
}

/** Overlapping logins could leave a grant in a session of another restaurant. */
async function removeStrangers(db: Kysely<unknown>): Promise<void> {
  await sql`delete from session_grant where kind = 'device' and restaurant_id <> subject_id`.execute(db)
  for (const [kind, table] of [
    ['owner', 'owner'],
    ['manager', 'manager'],
    ['crew', 'crew_member'],
  ] as const)
    await sql`delete from session_grant where kind = ${kind} and restaurant_id is not null and not exists (
      select 1 from ${sql.table(table)} as subject
      where subject.id = session_grant.subject_id and subject.restaurant_id = session_grant.restaurant_id
    )`.execute(db)
}
