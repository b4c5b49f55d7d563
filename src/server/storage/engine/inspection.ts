import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type Client, DatabaseError } from 'pg'
import { isPostgres } from './database.ts'
import { DatabaseOpenError, isRefusedByPooler, PoolerFound } from './errors.ts'
import { ownSchema } from './postgres/own-schema.ts'
import { directMarker, PrimaryClient } from './postgres/postgres-client.ts'
import { openUnchanged, toFilePath } from './sqlite/sqlite.ts'

/** What can be said about a database without changing it. */
export type Inspection = {
  /** The program and its version. */
  engine: string
  migrations: string[]
  settings: ReadonlyMap<string, string>
  /** Why it takes no writes, where only the database can tell. */
  writeProblem: string | null
  /** How far its clock is ahead of this machine's, in milliseconds, where it has one of its own. */
  clockAheadMs: number | null
}

/** Undefined if there is no SQLite file yet. Whoever has opened the database goes on undisturbed. */
export async function inspectDatabase(url: string, now: () => number): Promise<Inspection | undefined> {
  if (isPostgres(url)) return inspectPostgres(url, now)
  const path = toFilePath(url)
  if (!existsSync(path)) return undefined
  try {
    return inspectSqlite(path)
  } catch (error) {
    throw new DatabaseOpenError(path, error)
  }
}

function inspectSqlite(path: string): Inspection {
  using file = openUnchanged(path)
  const tables = new Set(columnOf(file, `select name from sqlite_master where type = 'table'`))
  return {
    engine: `SQLite ${String(file.prepare('select sqlite_version() as version').get()?.['version'])}`,
    migrations: tables.has('kysely_migration')
      ? columnOf(file, 'select name from kysely_migration order by name')
      : [],
    settings: new Map(
      tables.has('setting')
        ? file
            .prepare('select name, value from setting')
            .all()
            .map(({ name, value }) => [String(name), String(value)])
        : [],
    ),
    writeProblem: null,
    clockAheadMs: null,
  }
}

/** What SQLite finds damaged in a file; it reads all of it. */
export function findDamage(path: string): string[] {
  using file = openUnchanged(path)
  return columnOf(file, 'pragma integrity_check(5)').filter((line) => line !== 'ok')
}

const columnOf = (file: DatabaseSync, query: string): string[] =>
  file
    .prepare(query)
    .all()
    .map((row) => String(Object.values(row)[0]))

async function inspectPostgres(url: string, now: () => number): Promise<Inspection> {
  const client = new PrimaryClient({
    connectionString: url,
    application_name: 'tableside',
    connectionTimeoutMillis: 5_000,
    statement_timeout: 15_000,
    options: `-c ${directMarker}`,
  })
  // A connection that breaks fails the query that is running.
  client.on('error', () => {})
  try {
    await client.connect()
    const before = now()
    const { rows } = await client.query<{
      version: string
      clock: number
      migrated: boolean
      direct: string | null
    }>(
      `select current_setting('server_version') as version,
        extract(epoch from clock_timestamp())::float8 * 1000 as clock,
        to_regclass(quote_ident(${ownSchema}) || '.kysely_migration') is not null as migrated,
        current_setting('tableside.direct', true) as direct`,
    )
    const after = now()
    const { version = '', clock = 0, migrated = false, direct } = rows[0] ?? {}
    if (direct !== 'on') throw new PoolerFound()
    const listed = migrated ? await client.query<{ name: string }>('select name from kysely_migration') : null
    const settings = migrated
      ? await client.query<{ name: string; value: string }>('select name, value from setting')
      : null
    return {
      engine: `PostgreSQL ${version}`,
      migrations: listed?.rows.map(({ name }) => name).toSorted() ?? [],
      settings: new Map(settings?.rows.map(({ name, value }) => [name, value])),
      writeProblem: migrated ? await tryWrite(client) : null,
      clockAheadMs: aheadOf(clock, before, after),
    }
  } catch (error) {
    if (error instanceof PoolerFound) throw error
    if (isRefusedByPooler(error)) throw new PoolerFound()
    throw new DatabaseOpenError('PostgreSQL', error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** A connection without settings, as a server's are through a pooler. */
export async function askThroughPooler(url: string): Promise<void> {
  const client = new PrimaryClient({
    connectionString: url,
    application_name: 'tableside',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
  } catch (error) {
    throw new DatabaseOpenError('through DATABASE_URL', error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Zero while it may be right, as nobody knows when between the two the clock was read. */
const aheadOf = (clock: number, before: number, after: number): number =>
  clock < before ? clock - before : Math.max(0, clock - after)

/** Undone at once. */
async function tryWrite(client: Client): Promise<string | null> {
  try {
    await client.query('begin')
    await client.query(
      `insert into setting (name, value) values ('health-check', '')
        on conflict (name) do update set value = excluded.value`,
    )
    return null
  } catch (error) {
    if (error instanceof DatabaseError) return error.message
    throw error
  } finally {
    await client.query('rollback').catch(() => {})
  }
}
