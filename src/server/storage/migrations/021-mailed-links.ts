import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('password_reset')
    .addColumn('via', 'text', (c) => c.notNull().defaultTo('operator'))
    .execute()
  await db.schema
    .createTable('owner_email_change')
    .addColumn('owner_id', 'text', (c) => c.primaryKey().references('owner.id').onDelete('cascade'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('code_proof', 'text', (c) => c.notNull())
    .addColumn('code_expires_at', 'bigint', (c) => c.notNull())
    .addColumn('code_tries', 'integer', (c) => c.notNull())
    .execute()
}
