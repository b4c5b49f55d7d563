import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { isOutage } from '../../src/server/storage/engine/errors.ts'
import { inspectDatabase } from '../../src/server/storage/engine/inspection.ts'
import { createPool } from '../../src/server/storage/engine/postgres/postgres-pool.ts'
import type { Database, Db } from '../../src/server/storage/engine/types.ts'
import { startProxy } from '../support/buses.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'
import {
  noteIds,
  insertNote,
  note,
  notesMigration,
  withNotes,
  openTestDatabase,
  temporaryUrl,
  storedIds,
} from '../support/notes-schema.ts'
import { startPostgresCounter } from '../support/postgres/postgres-counter.ts'

/** Until it is released, whoever else asks for this lock waits. */
async function holdLock(database: Database, key: number) {
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const released = database.transact(async (db) => {
    await sql`select pg_advisory_xact_lock(${key})`.execute(db)
    held.resolve()
    await end.promise
  })
  await held.promise
  return { release: end.resolve, released }
}

describe('a database on PostgreSQL', () => {
  it('takes the options of its address beside its own', async () => {
    const url = await temporaryUrl(emptyDatabase)
    const database = await openTestDatabase(`${url}?options=-c%20work_mem%3D5MB`)
    const setting = async (name: string) => {
      const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(
        database.reader,
      )
      return rows[0]?.value
    }
    expect([await setting('work_mem'), await setting('enable_seqscan')]).toEqual(['5MB', 'off'])
  })

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

  it.each(['"Ours"', '"Ours",theirs'])(
    'is installed in the first schema of %s though another program uses Kysely, and found there again',
    async (path) => {
      const url = await temporaryUrl(emptyDatabase)
      const client = new Client(url)
      await client.connect()
      onTestFinished(() => client.end())
      const schemasWith = async (table: string) => {
        const { rows } = await client.query<{ name: string }>(
          'select schemaname as name from pg_tables where tablename = $1 order by 1',
          [table],
        )
        return rows.map(({ name }) => name)
      }
      const searching = (path: string) => `${url}?options=${encodeURIComponent(`-c search_path=${path}`)}`
      const start = async (path: string) => (await openDatabase(searching(path))).close()
      const readMigrations = async (path: string) =>
        (await inspectDatabase(searching(path), Date.now))?.migrations ?? []
      await client.query(`create schema "Ours"; create schema later; create schema theirs;
        create table theirs.kysely_migration (name text primary key, timestamp text not null);
        create table theirs.kysely_migration_lock (id text primary key, is_locked int not null default 0);
        insert into theirs.kysely_migration values ('first', '2026-01-01T00:00:00.000Z')`)

      expect(await readMigrations(path)).toEqual([])
      await start(path)
      expect(await readMigrations(path)).toContain('001-initial')
      // A schema that precedes it by now leaves it where it is.
      await start(`later,${path}`)
      expect(await schemasWith('restaurant')).toEqual(['Ours'])
      for (const table of ['kysely_migration', 'kysely_migration_lock'])
        expect(await schemasWith(table)).toEqual(['Ours', 'theirs'])
    },
  )

  it('reads little where no migration is missing', async () => {
    let bytes = 0
    const proxy = await startProxy(await temporaryUrl(freshDatabase), (_near, far) => {
      far.on('data', (chunk: Buffer) => (bytes += chunk.length))
    })
    onTestFinished(() => proxy.remove())
    await (await openDatabase(proxy.url)).close()
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(32_768)
  })

  it('lets taps pass while a newer version waits for a table', async () => {
    const url = await temporaryUrl(emptyDatabase)
    const database = await openTestDatabase(url, { maxConnections: 6 })
    const [isRead, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const figures = database.transact(async (db) => {
      await storedIds(db)
      isRead.resolve()
      await held.promise
    })
    await isRead.promise
    let isOpen = false
    const mood: Migration = { up: (db) => db.schema.alterTable('note').addColumn('mood', 'text').execute() }
    const newer = openTestDatabase(url, {
      migrations: { '001-notes': notesMigration, '002-mood': mood },
    }).finally(() => {
      isOpen = true
    })
    const findWaiting = () =>
      sql`select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock'`.execute(database.reader)
    while ((await findWaiting()).rows.length === 0);
    await database.transact((db) => insertNote(db, 'tap'))
    expect(isOpen).toBe(false)
    held.resolve()
    await figures
    expect(await storedIds((await newer).reader)).toEqual(['tap'])
  })

  it('runs a task again after a deadlock, and counts that', async () => {
    let retries = 0
    const onRetry = () => void retries++
    const database = await openTestDatabase(await temporaryUrl(emptyDatabase), { onRetry })
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
    // The one that lost may be back before the other has noticed, and they hold each other up once more.
    expect(retries).toBeGreaterThan(0)
    expect(runs).toBe(2 + retries)
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

  it('plans anew what it has prepared when the statistics of its tables change', async () => {
    const database = await openTestDatabase(await temporaryUrl(emptyDatabase), {
      maxConnections: 1,
    })
    const run = (...statements: string[]) =>
      database.transact(async (db) => {
        for (const statement of statements) await sql.raw(statement).execute(db)
      })
    await run(
      'create table sighting (id int, guest int, place int)',
      'create index by_guest on sighting (guest)',
      'create index by_place on sighting (place)',
    )
    const plan = async () => {
      await sql`select id from sighting where guest = ${1} and place = ${0}`.execute(database.reader)
      const { rows } = await sql<{ name: string }>`
        select name from pg_prepared_statements
        where statement like 'select id from sighting %'`.execute(database.reader)
      const [prepared] = rows
      const explained = await sql.raw(`explain execute ${prepared?.name}(1, 0)`).execute(database.reader)
      return { statements: rows.length, plan: JSON.stringify(explained.rows) }
    }
    // All of an empty table's indexes look alike.
    const { statements, plan: before } = await plan()
    const [selective, other] = before.includes('by_place') ? ['guest', 'place'] : ['place', 'guest']
    expect(statements).toBe(1)
    await run(
      `insert into sighting (id, ${selective}, ${other}) select n, n, 0 from generate_series(1, 20000) as n`,
      'analyze sighting',
    )
    const after = await plan()
    expect(after.statements).toBe(1)
    expect([before, after.plan]).toEqual([
      expect.stringContaining(`by_${other}`),
      expect.stringContaining(`by_${selective}`),
    ])
  })

  it('does not end connections together that were opened together', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const pool = createPool(await temporaryUrl(emptyDatabase), 4, { maxLifetimeSeconds: 3_600 })
    const clients = await Promise.all(noteIds(4).map(() => pool.connect()))
    const lifetimes = timers.mock.calls.flatMap(([, ms = 0]) => (ms > 1_000_000 ? [ms / 1_000] : []))
    for (const client of clients) client.release()
    await pool.end()
    const apart = lifetimes.toSorted((a, b) => a - b).map((each, index, all) => each - (all[index - 1] ?? 0))
    expect(lifetimes).toHaveLength(4)
    expect(Math.max(...lifetimes)).toBeLessThanOrEqual(3_600)
    expect(Math.min(...apart)).toBeGreaterThan(60)
  })

  it('answers reads while transactions wait for a connection', async () => {
    const database = await openTestDatabase(await temporaryUrl(emptyDatabase), { maxConnections: 4 })
    const held = Promise.withResolvers<void>()
    const transactions = noteIds(20).map((id) =>
      database.transact(async (db) => {
        await insertNote(db, id)
        await held.promise
      }),
    )
    expect(await storedIds(database.reader)).toEqual([])
    held.resolve()
    await Promise.all(transactions)
    expect(await storedIds(database.reader)).toEqual(noteIds(20))
  })

  it('sends reads that come together without waiting for each other, and fails only the bad one', async () => {
    const counter = await startPostgresCounter(await temporaryUrl(emptyDatabase))
    const database = await openTestDatabase(counter.url, { maxConnections: 2 })
    const read = async (divisor: number) => {
      const { rows } = await sql<{ quotient: number }>`select 12 / ${divisor}::int as quotient`.execute(
        database.reader,
      )
      return rows[0]?.quotient
    }
    await read(1)
    const before = counter.counts().roundTrips
    const outcomes = await Promise.allSettled([1, 2, 0, 3, 4, 6, 12].map(read))
    expect(counter.counts().roundTrips - before).toBeLessThan(4)
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual([
      12,
      6,
      'failed',
      4,
      3,
      2,
      1,
    ])
    const lost = [
      read(1),
      sql`select pg_terminate_backend(pg_backend_pid())`.execute(database.reader),
      read(2),
    ]
    expect((await Promise.allSettled(lost)).map(({ status }) => status)).toContain('rejected')
    await expect.poll(() => read(3)).toBe(4)
    await database.close()
    await counter.stop()
  })

  it('keeps reads from waiting behind a slow one', async () => {
    const database = await openTestDatabase(await temporaryUrl(emptyDatabase), { maxConnections: 4 })
    const lock = await holdLock(database, 7)
    let isAnswered = false
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const slow = sql`select pg_advisory_xact_lock(7)`.execute(database.reader).finally(() => {
      isAnswered = true
    })
    const findWaiting = () => sql`select 1 from pg_locks where not granted`.execute(database.reader)
    while ((await findWaiting()).rows.length === 0);
    vi.advanceTimersByTime(300)
    vi.useRealTimers()
    await Promise.all(noteIds(20).map(() => storedIds(database.reader)))
    expect(isAnswered).toBe(false)
    lock.release()
    await Promise.all([lock.released, slow])
  })

  it('begins the next group while the COMMIT of the last is on its way, but nobody with the same key', async () => {
    const database = await openTestDatabase(await temporaryUrl(emptyDatabase), { maxConnections: 6 })
    const lock = await holdLock(database, 7)
    const log: string[] = []
    const begun = new Map(['a', 'b', 'a again'].map((name) => [name, Promise.withResolvers<void>()]))
    const transact = (name: string, key: string, lock: number) =>
      database
        .transact(
          async (db) => {
            // A group that waits too long for a lock begins again.
            if (!log.includes(`${name} began`)) log.push(`${name} began`)
            begun.get(name)?.resolve()
            await insertNote(db, name)
          },
          {
            group: { name: 'notes', keys: [key], scope: key },
            // COMMIT waits behind it.
            finish: async (db) => void (await sql`select pg_advisory_xact_lock(${lock})`.execute(db)),
          },
        )
        .then(() => log.push(`${name} committed`))
    const first = transact('a', 'a', 7)
    await begun.get('a')?.promise
    const again = transact('a again', 'a', 8)
    await transact('b', 'b', 9)
    expect(log).toEqual(['a began', 'b began', 'b committed'])
    lock.release()
    await Promise.all([lock.released, first, again])
    expect(log.slice(3)).toEqual(['a committed', 'a again began', 'a again committed'])
  })

  it.for([
    ['of its own', false],
    ['to a pooler', true],
  ] as const)(
    'waits a moment for what others hold, then for 10 s, on connections %s',
    async ([, isPooled]) => {
      const url = await temporaryUrl(emptyDatabase)
      const database = await openTestDatabase(url, { maxConnections: 6, ...(isPooled && { directUrl: url }) })
      const lock = await holdLock(database, 7)
      const limits: (string | undefined)[] = []
      const wait = () =>
        database.transact(async (db) => {
          const { rows } = await sql<{
            limit: string
          }>`select current_setting('lock_timeout') as "limit"`.execute(db)
          limits.push(rows[0]?.limit)
          if (limits.length === 2) lock.release()
          await sql`select pg_advisory_xact_lock(7)`.execute(db)
        })
      await wait()
      await lock.released
      await wait()
      expect(limits).toEqual(['400ms', '10s', '400ms'])
    },
  )

  it('stores nothing that a transaction would have written later when its BEGIN fails', async () => {
    const query: () => unknown = Object.getOwnPropertyDescriptor(Client.prototype, 'query')?.value
    let isFailing = false
    vi.spyOn(Client.prototype, 'query').mockImplementation(function (
      this: Client,
      ...[first, ...others]: unknown[]
    ) {
      // As when an operator cancels it.
      const text = isFailing && String(first).startsWith('begin') ? 'select 1 / 0' : first
      return Reflect.apply(query, this, [text, ...others])
    })
    const database = await openTestDatabase(await temporaryUrl(emptyDatabase))
    const add = (id: string, options = {}) =>
      database.transact(async (db) => {
        await storedIds(db)
        await insertNote(db, id)
      }, options)
    isFailing = true
    const outcomes = await Promise.allSettled([
      add('alone'),
      add('in a group', { group: { name: 'notes', keys: ['a'], scope: 'a' } }),
    ])
    isFailing = false
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await storedIds(database.reader)).toEqual([])
    await add('later')
    expect(await storedIds(database.reader)).toEqual(['later'])
  })

  it('lets nobody of a group try again alone after an outage', async () => {
    const queries = vi.spyOn(Client.prototype, 'query')
    const database = await openTestDatabase(await temporaryUrl(emptyDatabase))
    queries.mockClear()
    const outcomes = await Promise.allSettled(
      noteIds(5).map((id) =>
        database.transact(
          async (db) => {
            await insertNote(db, id)
            await sql`do $$ begin raise exception 'no room' using errcode = '53100'; end $$`.execute(db)
          },
          { group: { name: 'notes', keys: [id], scope: id } },
        ),
      ),
    )
    const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && isOutage(outcome.reason))
    expect(reasons).toEqual([true, true, true, true, true])
    expect(queries.mock.calls.filter(([text]) => text === 'rollback')).toHaveLength(1)
    expect(await storedIds(database.reader)).toEqual([])
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
