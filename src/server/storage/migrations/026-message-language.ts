import type { Kysely } from 'kysely'

/** The language that a free text is written in, as far as its sender's screen knows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('team_message').addColumn('language', 'text').execute()
}
