import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { onTestFinished } from 'vitest'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import type { Database, DatabaseOptions, Db } from '../../src/server/storage/engine/types.ts'
import { emptyDatabase, emptySqliteDatabase } from './database.ts'

type Tables = {
  note: { id: string; body: string; writtenAt: number }
  reply: { id: string; noteId: string }
}

/** Two small tables to test the engine with. */
export const notesMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('note')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('written_at', 'bigint', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('reply')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('note_id', 'text', (c) => c.notNull().references('note.id'))
      .execute()
  },
}

export const onPostgres = process.env['TEST_DATABASE_URL'] !== undefined

/** How to make an empty database on each engine that this run tests. */
export const engines = onPostgres
  ? { SQLite: emptySqliteDatabase, PostgreSQL: emptyDatabase }
  : { SQLite: emptySqliteDatabase }

export const withNotes = (db: Db) => db.$extendTables<Tables>()
export const writtenAt = 1_767_268_800_000
export const note = (id: string) => ({ id, body: `body of ${id}`, writtenAt })
export const noteIds = (count: number) => Array.from({ length: count }, (_, index) => `note-${1000 + index}`)

export const insertNote = async (db: Db, id: string) =>
  void (await withNotes(db).insertInto('note').values(note(id)).execute())

export const storedIds = async (db: Db): Promise<string[]> =>
  (await withNotes(db).selectFrom('note').select('id').orderBy('id').execute()).map(({ id }) => id)

export async function openTestDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const database = await openDatabase(url, { migrations: { '001-notes': notesMigration }, ...options })
  onTestFinished(() => database.close())
  return database
}

export async function temporaryUrl(make = emptySqliteDatabase): Promise<string> {
  const { url, drop } = await make()
  onTestFinished(drop)
  return url
}
