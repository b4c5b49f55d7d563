import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What owners and managers changed. Rows are only ever added, and are removed with their restaurant. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_entry')
    .addColumn('restaurant_id', 'text', (c) => c.notNull().references('restaurant.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor_kind', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor_name', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_entry_pk', ['restaurant_id', 'id'])
    .execute()
  await refuseUpdates(db)
}

async function refuseUpdates(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`create function audit_entry_unchanged() returns trigger language plpgsql as $$
      begin raise exception 'audit entries are never changed'; end $$`.execute(db)
    await sql`create trigger audit_entry_unchanged before update on audit_entry
      for each row execute function audit_entry_unchanged()`.execute(db)
    return
  }
  await sql`create trigger audit_entry_unchanged before update on audit_entry
    begin select raise(abort, 'audit entries are never changed'); end`.execute(db)
}
