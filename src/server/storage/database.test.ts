import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { describe, expect, it, onTestFinished } from 'vitest'
import { emptyDatabase, emptyFolder } from '../../../test/database.ts'
import { type Database, type DatabaseOptions, type Db, openDatabase } from './database.ts'

type Tables = {
  note: { id: string; body: string; writtenAt: number }
  reply: { id: string; noteId: string }
}

/** The engine is tried on two small tables of its own. */
const notes: Migration = {
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

const on = (db: Db) => db.$extendTables<Tables>()
const writtenAt = 1_767_268_800_000
const note = (id: string) => ({ id, body: `body of ${id}`, writtenAt })
const ids = (count: number) => Array.from({ length: count }, (_, index) => `note-${1000 + index}`)

const insert = async (db: Db, id: string) => void (await on(db).insertInto('note').values(note(id)).execute())

const stored = async (db: Db): Promise<string[]> =>
  (await on(db).selectFrom('note').select('id').orderBy('id').execute()).map(({ id }) => id)

async function open(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const database = await openDatabase(url, { migrations: { '001-notes': notes }, ...options })
  onTestFinished(() => database.close())
  return database
}

async function place(make = emptyFolder): Promise<string> {
  const { url, drop } = await make()
  onTestFinished(drop)
  return url
}

const onPostgres = process.env['TEST_DATABASE_URL'] !== undefined
const engines = onPostgres ? { SQLite: emptyFolder, PostgreSQL: emptyDatabase } : { SQLite: emptyFolder }

describe.each(Object.entries(engines))('a database on %s', (_name, make) => {
  it('gives back what the work gave, and the reader sees what was written', async () => {
    const database = await open(await place(make))
    const answer = await database.transact(async (db) => {
      await insert(db, 'a')
      return 'done'
    })
    expect(answer).toBe('done')
    expect(await on(database.reader).selectFrom('note').selectAll().execute()).toEqual([note('a')])
  })

  it('shows the reader nothing before the commit', async () => {
    const database = await open(await place(make))
    const during = await database.transact(async (db) => {
      await insert(db, 'a')
      return { own: await stored(db), others: await readOnce(database) }
    })
    expect(during).toEqual({ own: ['a'], others: [] })
    expect(await stored(database.reader)).toEqual(['a'])
  })

  it('keeps nothing of a work that throws, and passes on what it threw', async () => {
    const database = await open(await place(make))
    const refusal = new Error('The kitchen is closed')
    const refused = database.transact(async (db) => {
      await insert(db, 'a')
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await stored(database.reader)).toEqual([])
  })

  it('lets a work that fails take nobody with it', async () => {
    const database = await open(await place(make))
    const outcomes = await Promise.allSettled(
      ids(30).map((id, index) =>
        database.transact(async (db) => {
          await insert(db, id)
          if (index % 3 === 1) throw new Error(`no ${id}`)
          // The same key again: an error of the database itself.
          if (index % 3 === 2) await insert(db, id)
        }),
      ),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(
      ids(30).map((_, index) => (index % 3 === 0 ? 'fulfilled' : 'rejected')),
    )
    expect(await stored(database.reader)).toEqual(ids(30).filter((_, index) => index % 3 === 0))
  })

  it('reads times, counts, sums and means as numbers', async () => {
    const database = await open(await place(make))
    await database.transact(async (db) => {
      await insert(db, 'a')
      await insert(db, 'b')
    })
    const figures = await on(database.reader)
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

  it('refuses a row that refers to none', async () => {
    const database = await open(await place(make))
    const orphan = database.transact(async (db) => {
      await on(db).insertInto('reply').values({ id: 'r', noteId: 'nowhere' }).execute()
    })
    await expect(orphan).rejects.toThrow(/foreign key/i)
  })

  it('says which transactions each commit made durable', async () => {
    const commits: number[] = []
    const database = await open(await place(make), { onCommit: (count) => commits.push(count) })
    await Promise.all(ids(5).map((id) => database.transact((db) => insert(db, id))))
    expect(commits.reduce((sum, count) => sum + count, 0)).toBe(5)
  })

  it('refuses a query that comes after its transaction had ended', async () => {
    const database = await open(await place(make))
    const late = await database.transact(async (db) => () => insert(db, 'late'))
    await expect(late()).rejects.toThrow('A query came after its transaction had ended')
    let forgotten: Promise<void> | undefined
    await database.transact(async (db) => {
      forgotten = insert(db, 'first').then(() => insert(db, 'forgotten'))
      forgotten.catch(() => {})
    })
    await expect(forgotten).rejects.toThrow('A query came after its transaction had ended')
    expect(await stored(database.reader)).not.toContain('forgotten')
  })

  it('closes after the work that was already asked for, and takes no more', async () => {
    const url = await place(make)
    const database = await open(url, { maxBatch: 7, maxConnections: 2 })
    const asked = ids(40).map((id) => database.transact((db) => insert(db, id)))
    const closed = database.close()
    await expect(database.transact((db) => insert(db, 'too-late'))).rejects.toThrow('The database is closed')
    await closed
    await Promise.all(asked)
    expect(await stored((await open(url)).reader)).toEqual(ids(40))
  })

  it('leaves nothing behind of migrations that fail, and goes on when they are mended', async () => {
    const url = await place(make)
    const broken: Migration = {
      async up(db) {
        await notes.up(db)
        await sql`insert into nowhere values (1)`.execute(db)
      },
    }
    await expect(open(url, { migrations: { '001-notes': broken } })).rejects.toThrow(/nowhere/)
    const database = await open(url)
    expect(await stored(database.reader)).toEqual([])
  })

  it('runs only the migrations that are new', async () => {
    const url = await place(make)
    const first = await open(url)
    await first.transact((db) => insert(db, 'a'))
    await first.close()
    const colour: Migration = {
      up: (db) => db.schema.alterTable('note').addColumn('colour', 'text').execute(),
    }
    const second = await open(url, { migrations: { '001-notes': notes, '002-colour': colour } })
    expect(await on(second.reader).selectFrom('note').selectAll().execute()).toEqual([
      { ...note('a'), colour: null },
    ])
  })
})

/** In a transaction's work the reader must be asked apart from it: it is another connection. */
const readOnce = (database: Database): Promise<string[]> => stored(database.reader)

describe('a database on SQLite', () => {
  it('puts 200 writes at once into one commit', async () => {
    const commits: number[] = []
    const database = await open(await place(), { onCommit: (count) => commits.push(count) })
    await Promise.all(ids(200).map((id) => database.transact((db) => insert(db, id))))
    expect(commits).toEqual([200])
    expect(await stored(database.reader)).toEqual(ids(200))
  })

  it('puts what is asked for meanwhile into the next commits, never more than fit', async () => {
    const commits: number[] = []
    const database = await open(await place(), { maxBatch: 64, onCommit: (count) => commits.push(count) })
    await Promise.all(
      ids(100).map(async (id) => {
        await database.transact((db) => insert(db, id))
        await database.transact((db) => insert(db, `${id}-again`))
      }),
    )
    expect(commits.reduce((sum, count) => sum + count, 0)).toBe(200)
    expect(Math.max(...commits)).toBeLessThanOrEqual(64)
    expect(commits.length).toBeLessThan(8)
  })

  it('answers nobody before the commit that all of a batch share', async () => {
    const url = await place()
    const database = await open(url)
    const happened: string[] = []
    const onDisk = () => {
      using other = new DatabaseSync(url.slice('file:'.length), { readOnly: true })
      return Number(other.prepare('select count(*) as count from note').get()?.['count'])
    }
    const ask = async (id: string, refuse = false) => {
      await database
        .transact(async (db) => {
          await insert(db, id)
          happened.push(`${id} ran, ${onDisk()} on the disk`)
          if (refuse) throw new Error(id)
        })
        .catch(() => {})
      happened.push(`${id} answered, ${onDisk()} on the disk`)
    }
    await Promise.all([ask('a'), ask('b', true), ask('c')])
    expect(happened).toEqual([
      'a ran, 0 on the disk',
      'b ran, 0 on the disk',
      'c ran, 0 on the disk',
      'a answered, 2 on the disk',
      'b answered, 2 on the disk',
      'c answered, 2 on the disk',
    ])
  })

  it('gives up on a work that waits for something else, and goes on with the others', async () => {
    const database = await open(await place())
    const stuck = database.transact(async (db) => {
      await insert(db, 'stuck')
      await new Promise(() => {})
    })
    const nested = database.transact(() => database.transact((db) => insert(db, 'inner')))
    const other = database.transact((db) => insert(db, 'other'))
    await expect(stuck).rejects.toThrow('A transaction waited for something other than its database')
    await expect(nested).rejects.toThrow('A transaction waited for something other than its database')
    await other
    await database.transact((db) => insert(db, 'next'))
    expect(await stored(database.reader)).toEqual(['inner', 'next', 'other'])
  })

  it('refuses to write through the reader, and values that are neither text nor number', async () => {
    const database = await open(await place())
    await expect(insert(database.reader, 'a')).rejects.toThrow(/readonly/)
    const yes: unknown = true
    await expect(database.transact((db) => sql`select ${yes}`.execute(db))).rejects.toThrow(
      'The tables hold text and numbers only, not boolean',
    )
  })

  it('is durable by its settings', async () => {
    const database = await open(await place())
    const settings = await database.transact(async (db) => {
      const { rows } =
        await sql`select * from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys`.execute(db)
      return rows
    })
    expect(settings).toEqual([{ journalMode: 'wal', synchronous: 2, foreignKeys: 1 }])
  })

  it('belongs to one Tableside at a time', async () => {
    const url = await place()
    const first = await open(url)
    await expect(open(url)).rejects.toThrow('Another Tableside is running on this data folder')
    await first.close()
    await open(url)
  })

  it('leaves one whole file when it is closed', async () => {
    const url = await place()
    const database = await open(url)
    await database.transact((db) => insert(db, 'a'))
    await database.close()
    expect(existsSync(`${url.slice('file:'.length)}-wal`)).toBe(false)
  })

  it('is copied as it was at one moment, while writes go on', async () => {
    const url = await place()
    const database = await open(url)
    await Promise.all(ids(500).map((id) => database.transact((db) => insert(db, id))))
    const target = (await place()).slice('file:'.length)
    const copied = database.backup?.(target)
    const after = ids(500).map((id) => database.transact((db) => insert(db, `${id}-after`)))
    await Promise.all([copied, ...after])

    const copy = await open(`file:${target}`)
    const kept = await stored(copy.reader)
    expect(kept).toEqual(expect.arrayContaining(ids(500)))
    expect(await stored(database.reader)).toHaveLength(1000)
    await copy.transact((db) => insert(db, 'usable'))
  })

  it('takes over the folder of a process that was killed, with all that it had acknowledged', async () => {
    const url = await place()
    const child = await writeInAnotherProcess(url)
    await expect(open(url)).rejects.toThrow('Another Tableside is running on this data folder')
    child.process.kill('SIGKILL')
    await child.ended
    const database = await open(url)
    expect(await stored(database.reader)).toEqual(expect.arrayContaining(child.acknowledged))
  })

  it.runIf(process.platform !== 'win32')(
    'ends the process when the disk fails, never having lied',
    async () => {
      const url = await place()
      const child = await writeInAnotherProcess(url, 'ulimit -f 1000;')
      expect(await child.ended).toBe(1)
      expect(await child.complaint).toMatch(/^The disk failed a write of the database.*disk I\/O error/)
      const database = await open(url)
      expect(await stored(database.reader)).toEqual(expect.arrayContaining(child.acknowledged))
    },
  )
})

/** Writes note after note, naming each one that was acknowledged, until it is ended. */
async function writeInAnotherProcess(url: string, limit = '') {
  const script = `
    import { openDatabase } from ${JSON.stringify(new URL('database.ts', import.meta.url).href)}
    const up = (db) => db.schema.createTable('note').addColumn('id', 'text').addColumn('body', 'text')
      .addColumn('written_at', 'bigint').execute()
    const { transact } = await openDatabase(${JSON.stringify(url)}, { migrations: { '001-notes': { up } } })
    const body = 'x'.repeat(5000)
    async function write(writer) {
      for (let count = 0; ; count++) {
        const id = 'note-' + writer + '-' + count
        await transact((db) => db.insertInto('note').values({ id, body, writtenAt: count }).execute())
        console.log(id)
      }
    }
    await Promise.all([1, 2, 3, 4].map(write))`
  const child = spawn(
    'sh',
    ['-c', `${limit} exec "$0" --input-type=module -e "$1"`, process.execPath, script],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const complaint = text(child.stderr)
  const ended = once(child, 'close').then(([code]: unknown[]) => code)
  const acknowledged: string[] = []
  const lines = createInterface(child.stdout).on('line', (id) => acknowledged.push(id))
  await Promise.race([once(lines, 'line'), ended])
  return { process: child, ended, complaint, acknowledged }
}

describe.each(onPostgres ? ['PostgreSQL'] : [])('a database on %s', () => {
  it('is migrated once when four nodes start at once', async () => {
    const url = await place(emptyDatabase)
    let runs = 0
    const counted: Migration = {
      async up(db) {
        runs++
        await notes.up(db)
      },
    }
    const nodes = await Promise.all(
      ids(4).map(() => open(url, { migrations: { '001-notes': counted }, maxConnections: 1 })),
    )
    expect(runs).toBe(1)
    await Promise.all(nodes.map((node, index) => node.transact((db) => insert(db, `node-${index}`))))
    for (const { reader } of nodes)
      expect(await stored(reader)).toEqual(['node-0', 'node-1', 'node-2', 'node-3'])
  })

  it('runs a work again that a deadlock took back', async () => {
    const database = await open(await place(emptyDatabase))
    await database.transact(async (db) => {
      await insert(db, 'a')
      await insert(db, 'b')
    })
    const bothHoldOne = Promise.withResolvers<void>()
    let runs = 0
    const append = (db: Db, id: string, suffix: string) =>
      on(db)
        .updateTable('note')
        .set((e) => ({ body: e('body', '||', suffix) }))
        .where('id', '=', id)
        .execute()
    const cross = (first: string, second: string, suffix: string) =>
      database.transact(async (db) => {
        runs++
        await append(db, first, suffix)
        if (runs === 2) bothHoldOne.resolve()
        await bothHoldOne.promise
        await append(db, second, suffix)
      })
    await Promise.all([cross('a', 'b', '+1'), cross('b', 'a', '+2')])
    expect(runs).toBe(3)
    const bodies = await on(database.reader).selectFrom('note').select('body').orderBy('id').execute()
    expect(bodies.map(({ body }) => body.slice(9).split('+').toSorted().join('+'))).toEqual(['+1+2', '+1+2'])
  })

  it('goes on when a newer version adds a column to a table that it reads', async () => {
    const url = await place(emptyDatabase)
    const database = await open(url, { maxConnections: 1 })
    const all = (db: Db) => on(db).selectFrom('note').selectAll().where('id', '=', 'a').execute()
    await database.transact((db) => insert(db, 'a'))
    expect([await all(database.reader), await database.transact(all)]).toEqual([[note('a')], [note('a')]])
    const newer = await open(url)
    const change = (column: string) =>
      newer.transact((db) => sql`alter table note add column ${sql.ref(column)} text`.execute(db))
    await change('mood')
    expect(await database.transact(all)).toEqual([{ ...note('a'), mood: null }])
    await change('place')
    expect(await all(database.reader)).toEqual([{ ...note('a'), mood: null, place: null }])
  })

  it('outlives its connections: the work fails, the next one has a new connection', async () => {
    const database = await open(await place(emptyDatabase), { maxConnections: 1 })
    const cut = database.transact(async (db) => {
      await insert(db, 'a')
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db)
    })
    await expect(cut).rejects.toThrow(/terminat/)
    await database.transact((db) => insert(db, 'b'))
    expect(await stored(database.reader)).toEqual(['b'])
  })
})
