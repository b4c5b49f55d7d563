import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { openDatabase } from '../../src/server/storage/engine/database.ts'

export type TestDatabase = { url: string; drop: () => Promise<void> }

/** A separate database with every table, copied from one that is migrated once per process. */
export async function freshDatabase(): Promise<TestDatabase> {
  return server ? server.create(await server.template()) : freshFile()
}

/** A separate database without tables. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return server ? server.create('template0') : emptySqliteDatabase()
}

const testUrl = process.env['TEST_DATABASE_URL']
const server = testUrl ? postgresServer(testUrl) : undefined

/** The path of an SQLite file that does not exist yet, in a new folder, whatever engine the tests run on. */
export async function emptySqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(await fastestFolder(), 'tableside-test-'))
  return {
    url: `file:${join(folder, 'tableside.db')}`,
    drop: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** In memory if there is plenty: otherwise tests spend a quarter of their time waiting for a disk to keep each COMMIT. */
const fastestFolder = memoize(async () => {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > 2 ** 30 ? memory : tmpdir()
})

async function freshFile(): Promise<TestDatabase> {
  const [template, fresh] = await Promise.all([migratedFile(), emptySqliteDatabase()])
  await writeFile(pathOf(fresh.url), template)
  return fresh
}

const migratedFile = memoize(async () => {
  const { url, drop } = await emptySqliteDatabase()
  await migrate(url)
  const bytes = await readFile(pathOf(url))
  await drop()
  return bytes
})

const pathOf = (url: string): string => url.slice('file:'.length)

function postgresServer(serverUrl: string) {
  const owner = `tableside_test_${randomBytes(4).toString('hex')}`
  let databases = 0

  /** Open for the life of the process, to tell others that its databases are in use. */
  const connect = memoize(async () => {
    const pool = new Pool({
      connectionString: serverUrl,
      application_name: owner,
      max: 2,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
    })
    await dropAbandoned(pool)
    return pool
  })

  async function create(template: string): Promise<TestDatabase> {
    const pool = await connect()
    const name = `${owner}_${++databases}`
    // By default the server also logs each page of the copy, which takes twice the processor time.
    await pool.query(`create database ${name} template ${template} strategy file_copy`)
    return {
      url: urlOf(name),
      drop: async () => {
        await pool.query(`drop database if exists ${name} with (force)`)
      },
    }
  }

  function urlOf(name: string): string {
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    return url.href
  }

  const template = memoize(async () => {
    const { url } = await create('template0')
    await migrate(url)
    return new URL(url).pathname.slice(1)
  })

  return { create, template }
}

/** Databases of test processes that ended without dropping them. */
async function dropAbandoned(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(`
    select datname as name from pg_database
    where datname ~ '^tableside_test_[0-9a-f]{8}_'
      and substr(datname, 1, 23) not in (select application_name from pg_stat_activity)`)
  // Another process that has just started may be dropping the same one.
  for (const { name } of rows)
    await pool.query(`drop database if exists ${name} with (force)`).catch(() => {})
}

async function migrate(url: string): Promise<void> {
  const database = await openDatabase(url)
  await database.close()
}

function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined
  return () => (value ??= make())
}
