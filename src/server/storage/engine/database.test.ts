import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { describe, expect, it } from 'vitest'
import {
  engines,
  noteIds,
  insertNote,
  note,
  notesMigration,
  withNotes,
  openTestDatabase,
  temporaryUrl,
  storedIds,
  writtenAt,
} from '../../../../test/support/notes-schema.ts'
import type { Database } from './types.ts'

/** Reads outside the transaction that is running, on another connection. */
const readOutside = (database: Database): Promise<string[]> => storedIds(database.reader)

describe.each(Object.entries(engines))('a database on %s', (_name, make) => {
  it('returns what the task returned, and the reader sees what it wrote', async () => {
    const database = await openTestDatabase(await temporaryUrl(make))
    const answer = await database.transact(async (db) => {
      await insertNote(db, 'a')
      return 'done'
    })
    expect(answer).toBe('done')
    expect(await withNotes(database.reader).selectFrom('note').selectAll().execute()).toEqual([note('a')])
  })

  it('shows the reader nothing before the commit', async () => {
    const database = await openTestDatabase(await temporaryUrl(make))
    const during = await database.transact(async (db) => {
      await insertNote(db, 'a')
      return { own: await storedIds(db), others: await readOutside(database) }
    })
    expect(during).toEqual({ own: ['a'], others: [] })
    expect(await storedIds(database.reader)).toEqual(['a'])
  })

  it('rolls back a task that throws, and rejects with what it threw', async () => {
    const database = await openTestDatabase(await temporaryUrl(make))
    const refusal = new Error('The kitchen is closed')
    const refused = database.transact(async (db) => {
      await insertNote(db, 'a')
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await storedIds(database.reader)).toEqual([])
  })

  it('rolls back only the tasks that fail', async () => {
    const database = await openTestDatabase(await temporaryUrl(make))
    const outcomes = await Promise.allSettled(
      noteIds(30).map((id, index) =>
        database.transact(async (db) => {
          await insertNote(db, id)
          if (index % 3 === 1) throw new Error(`no ${id}`)
          // The same key again: an error of the database itself.
          if (index % 3 === 2) await insertNote(db, id)
        }),
      ),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(
      noteIds(30).map((_, index) => (index % 3 === 0 ? 'fulfilled' : 'rejected')),
    )
    expect(await storedIds(database.reader)).toEqual(noteIds(30).filter((_, index) => index % 3 === 0))
  })

  it('reads times, counts, sums and averages as numbers', async () => {
    const database = await openTestDatabase(await temporaryUrl(make))
    await database.transact(async (db) => {
      await insertNote(db, 'a')
      await insertNote(db, 'b')
    })
    const figures = await withNotes(database.reader)
      .selectFrom('note')
      .select((e) => [
        e.fn.max('writtenAt').as('latest'),
        e.fn.countAll().as('count'),
        e.fn.sum('writtenAt').as('sum'),
        e.fn.avg('writtenAt').as('mean'),
      ])
      .executeTakeFirstOrThrow()
    expect(figures).toEqual({ latest: writtenAt, count: 2, sum: 2 * writtenAt, mean: writtenAt })
  })

  it('refuses a row that refers to a missing one', async () => {
    const database = await openTestDatabase(await temporaryUrl(make))
    const orphan = database.transact(async (db) => {
      await withNotes(db).insertInto('reply').values({ id: 'r', noteId: 'nowhere' }).execute()
    })
    await expect(orphan).rejects.toThrow(/foreign key/i)
  })

  it('reports how many transactions each commit made durable', async () => {
    const commits: number[] = []
    const database = await openTestDatabase(await temporaryUrl(make), {
      onCommit: (count) => commits.push(count),
    })
    await Promise.all(noteIds(5).map((id) => database.transact((db) => insertNote(db, id))))
    expect(commits.reduce((sum, count) => sum + count, 0)).toBe(5)
  })

  it('refuses a query that comes after the end of its transaction', async () => {
    const database = await openTestDatabase(await temporaryUrl(make))
    const late = await database.transact(async (db) => () => insertNote(db, 'late'))
    await expect(late()).rejects.toThrow('A query came after the end of its transaction')
    let forgotten: Promise<void> | undefined
    await database.transact(async (db) => {
      forgotten = insertNote(db, 'first').then(() => insertNote(db, 'forgotten'))
      forgotten.catch(() => {})
    })
    await expect(forgotten).rejects.toThrow('A query came after the end of its transaction')
    expect(await storedIds(database.reader)).not.toContain('forgotten')
  })

  it('finishes the requested transactions before it closes, and refuses new ones', async () => {
    const url = await temporaryUrl(make)
    const database = await openTestDatabase(url, { maxBatch: 7, maxConnections: 2 })
    const requested = noteIds(40).map((id) => database.transact((db) => insertNote(db, id)))
    const closed = database.close()
    await expect(database.transact((db) => insertNote(db, 'too-late'))).rejects.toThrow(
      'The database is closed',
    )
    await closed
    await Promise.all(requested)
    expect(await storedIds((await openTestDatabase(url)).reader)).toEqual(noteIds(40))
  })

  it('rolls back migrations that fail, and runs them once they are fixed', async () => {
    const url = await temporaryUrl(make)
    const broken: Migration = {
      async up(db) {
        await notesMigration.up(db)
        await sql`insert into nowhere values (1)`.execute(db)
      },
    }
    await expect(openTestDatabase(url, { migrations: { '001-notes': broken } })).rejects.toThrow(/nowhere/)
    const database = await openTestDatabase(url)
    expect(await storedIds(database.reader)).toEqual([])
  })

  it('runs only the migrations that are new', async () => {
    const url = await temporaryUrl(make)
    const first = await openTestDatabase(url)
    await first.transact((db) => insertNote(db, 'a'))
    await first.close()
    const colour: Migration = {
      up: (db) => db.schema.alterTable('note').addColumn('colour', 'text').execute(),
    }
    const second = await openTestDatabase(url, {
      migrations: { '001-notes': notesMigration, '002-colour': colour },
    })
    expect(await withNotes(second.reader).selectFrom('note').selectAll().execute()).toEqual([
      { ...note('a'), colour: null },
    ])
  })

  it('runs a migration that comes before one that has run', async () => {
    const url = await temporaryUrl(make)
    const add = (column: string): Migration => ({
      up: (db) => db.schema.alterTable('note').addColumn(column, 'text').execute(),
    })
    const migrations = { '001-notes': notesMigration, '003-colour': add('colour') }
    await (await openTestDatabase(url, { migrations })).close()
    const database = await openTestDatabase(url, { migrations: { ...migrations, '002-shape': add('shape') } })
    await database.transact((db) => insertNote(db, 'a'))
    expect(await withNotes(database.reader).selectFrom('note').selectAll().execute()).toEqual([
      { ...note('a'), colour: null, shape: null },
    ])
  })
})
