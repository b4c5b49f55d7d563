import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { describe, expect, it } from 'vitest'
import { emptyDatabase } from '../../../../test/support/database.ts'
import {
  engines,
  noteIds,
  insertNote,
  note,
  notesMigration,
  onPostgres,
  withNotes,
  openTestDatabase,
  temporaryUrl,
  storedIds,
  writtenAt,
} from '../../../../test/support/notes-schema.ts'
import type { Database, Db } from './types.ts'
import { isOutage } from './errors.ts'

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
})

describe.each(onPostgres ? ['PostgreSQL'] : [])('a database on %s', () => {
  it('is migrated once when four nodes start at once', async () => {
    const url = await temporaryUrl(emptyDatabase)
    let runs = 0
    const counted: Migration = {
      async up(db) {
        runs++
        await notesMigration.up(db)
      },
    }
    const nodes = await Promise.all(
      noteIds(4).map(() =>
        openTestDatabase(url, { migrations: { '001-notes': counted }, maxConnections: 1 }),
      ),
    )
    expect(runs).toBe(1)
    await Promise.all(nodes.map((node, index) => node.transact((db) => insertNote(db, `node-${index}`))))
    for (const { reader } of nodes)
      expect(await storedIds(reader)).toEqual(['node-0', 'node-1', 'node-2', 'node-3'])
  })

  it('runs a task again after a deadlock', async () => {
    const database = await openTestDatabase(await temporaryUrl(emptyDatabase))
    await database.transact(async (db) => {
      await insertNote(db, 'a')
      await insertNote(db, 'b')
    })
    const bothHoldOne = Promise.withResolvers<void>()
    let [runs, held] = [0, 0]
    const append = (db: Db, id: string, suffix: string) =>
      withNotes(db)
        .updateTable('note')
        .set((e) => ({ body: e('body', '||', suffix) }))
        .where('id', '=', id)
        .execute()
    const cross = (first: string, second: string, suffix: string) =>
      database.transact(async (db) => {
        runs++
        await append(db, first, suffix)
        if (++held === 2) bothHoldOne.resolve()
        await bothHoldOne.promise
        await append(db, second, suffix)
      })
    await Promise.all([cross('a', 'b', '+1'), cross('b', 'a', '+2')])
    expect(runs).toBe(3)
    const bodies = await withNotes(database.reader).selectFrom('note').select('body').orderBy('id').execute()
    expect(bodies.map(({ body }) => body.slice(9).split('+').toSorted().join('+'))).toEqual(['+1+2', '+1+2'])
  })

  it('keeps reading a table to which a newer version adds a column', async () => {
    const url = await temporaryUrl(emptyDatabase)
    const database = await openTestDatabase(url, { maxConnections: 1 })
    const selectAll = (db: Db) => withNotes(db).selectFrom('note').selectAll().where('id', '=', 'a').execute()
    await database.transact((db) => insertNote(db, 'a'))
    expect([await selectAll(database.reader), await database.transact(selectAll)]).toEqual([
      [note('a')],
      [note('a')],
    ])
    const newer = await openTestDatabase(url)
    const change = (column: string) =>
      newer.transact((db) => sql`alter table note add column ${sql.ref(column)} text`.execute(db))
    await change('mood')
    expect(await database.transact(selectAll)).toEqual([{ ...note('a'), mood: null }])
    await change('place')
    expect(await selectAll(database.reader)).toEqual([{ ...note('a'), mood: null, place: null }])
  })

  it('fails the task whose connection is lost, and opens a new one for the next', async () => {
    const database = await openTestDatabase(await temporaryUrl(emptyDatabase), { maxConnections: 1 })
    const interrupted = database.transact(async (db) => {
      await insertNote(db, 'a')
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db)
    })
    // PostgreSQL's own error may arrive before the connection breaks, or not.
    await expect(interrupted).rejects.toSatisfy(isOutage)
    await database.transact((db) => insertNote(db, 'b'))
    expect(await storedIds(database.reader)).toEqual(['b'])
  })
})
