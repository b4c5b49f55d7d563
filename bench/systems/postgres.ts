import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { parentOf } from '../load/machine.ts'

export type Postgres = {
  version: string
  /** Its main process, if it runs on this machine; all others are children of it. A restart changes it. */
  readonly pid: number | null
  /** Creates a database and returns its URL. */
  database(): Promise<string>
  /** Null if it is not ours to restart. */
  restart: (() => Promise<void>) | null
  /** The file to which it writes its log; null if it is not ours. */
  log: string | null
  stop(): Promise<void>
}

/**
 * The server at BENCH_DATABASE_URL, or else a private one started from the installed binaries, with these settings; null
 * if there is neither.
 */
export async function findPostgres(
  folder: string,
  settings: readonly string[] = [],
): Promise<Postgres | null> {
  const url = process.env['BENCH_DATABASE_URL']
  if (url) return connectTo(url, { restart: null, log: null, stop: async () => {} })
  const [bin] = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed()
  return bin === undefined || !existsSync(join(bin, 'initdb')) ? null : startPrivate(bin, folder, settings)
}

/** Runs a program that ends, fast for PostgreSQL, with the process that started it, however that ends. */
const untilInputEnds = '"$@" & read -r line; kill -INT $!; wait $!'

/** Started as root, it runs as the user postgres, because PostgreSQL refuses to run as root. */
async function startPrivate(bin: string, parent: string, settings: readonly string[]): Promise<Postgres> {
  const folder = join(parent, 'postgres')
  mkdirSync(folder)
  const isRoot = process.getuid?.() === 0
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const owner = isRoot ? { uid: id('-u'), gid: id('-g') } : {}
  if (owner.uid !== undefined) {
    chownSync(parent, owner.uid, owner.gid)
    chownSync(folder, owner.uid, owner.gid)
  }
  const data = join(folder, 'data')
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust'], {
    ...owner,
    stdio: 'ignore',
  })
  const port = 20_000 + (process.pid % 10_000)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const log = join(folder, 'log')
  const output = openSync(log, 'a')
  const start = async () => {
    const options = ['listen_addresses=127.0.0.1', ...settings].flatMap((setting) => ['-c', setting])
    const program = [join(bin, 'postgres'), '-D', data, '-k', folder, '-p', `${port}`, ...options]
    const started = spawn('sh', ['-c', untilInputEnds, 'sh', ...program], {
      ...owner,
      stdio: ['pipe', 'ignore', output],
    })
    for (let attempts = 0; !(await isReady(url)); attempts++) {
      if (attempts === 100) throw new Error('The private PostgreSQL does not start')
      await setTimeout(100)
    }
    return started
  }
  let server = await start()
  const end = async () => {
    const exited = once(server, 'exit')
    server.stdin?.end()
    await exited
  }
  const restart = async () => {
    await end()
    server = await start()
  }
  return connectTo(url, { restart, log, stop: end })
}

async function isReady(url: string): Promise<boolean> {
  const client = new Client(url)
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

const isLocal = (url: string): boolean => /^(localhost|127\.0\.0\.1|)$/u.test(new URL(url).hostname)

async function connectTo(
  url: string,
  { restart, log, stop }: Pick<Postgres, 'restart' | 'log' | 'stop'>,
): Promise<Postgres> {
  let client = new Client(url)
  await client.connect()
  const setting = async (name: string) =>
    (await client.query(`select current_setting('${name}') as value`)).rows[0].value
  const readPid = async () => {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const main = parentOf(rows[0].pid)
    return isLocal(url) && main > 1 ? main : null
  }
  let pid = await readPid()
  const databases: string[] = []
  return {
    get pid() {
      return pid
    },
    log,
    version: `PostgreSQL ${await setting('server_version')}, fsync ${await setting('fsync')}, synchronous_commit ${await setting('synchronous_commit')}`,
    async database() {
      const name = `tableside_bench_${process.pid}_${databases.length}`
      databases.push(name)
      await client.query(`create database ${name}`)
      const databaseUrl = new URL(url)
      databaseUrl.pathname = `/${name}`
      return databaseUrl.href
    },
    restart:
      restart &&
      (async () => {
        await client.end()
        await restart()
        client = new Client(url)
        await client.connect()
        pid = await readPid()
      }),
    async stop() {
      for (const name of databases) await client.query(`drop database if exists ${name} with (force)`)
      await client.end()
      await stop()
    },
  }
}
