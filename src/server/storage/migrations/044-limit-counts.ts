import type { Kysely } from 'kysely'

/** How often something rare was tried, counted for all servers; what it was tried for stands there only as a digest. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('limit_count')
    .addColumn('limit_name', 'text', (c) => c.notNull())
    .addColumn('key_digest', 'text', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addColumn('ends_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('limit_count_pk', ['limit_name', 'key_digest'])
    .execute()
  await db.schema.createIndex('limit_count_end').on('limit_count').column('ends_at').execute()
}
