import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { startPostgresServer } from '../test/support/postgres/postgres-server.ts'
import { startServer } from '../test/support/servers/server-process.ts'
import { burst, signUp, type Told } from './burst.ts'
import { findLoss } from './verify.ts'

/**
 * A PostgreSQL whose disk is full for a while, as guests ask and the crew completes. Taps are refused or stored; once
 * there is room again, Tableside goes on by itself, and everything that somebody had been told is there. PostgreSQL
 * refuses what makes a table larger, and ends where its log cannot grow: then it is started again, as an operator would.
 *
 * The disk is a file system in memory, which only root can mount on Linux.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    /** Taps of a round. */
    taps: { type: 'string', default: '900' },
    /** The size of the disk. */
    megabytes: { type: 'string', default: '160' },
  },
})
const taps = Number(values.taps)
/** So many taps are refused before there is room again, and for so long is waited for them. */
const refusals = 40
const patienceMs = 30_000
const startedAt = performance.now()

const disk = mkdtempSync(join(tmpdir(), 'tableside-full-disk-'))
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${values.megabytes}m,mode=1777`, 'tableside', disk])
const filler = join(disk, 'filler')
let broken = 0
try {
  const settings = { min_wal_size: '32MB', max_wal_size: '48MB' }
  const postgres = await startPostgresServer({ settings, within: disk })
  try {
    broken = await runRounds(postgres)
  } finally {
    await postgres.remove()
  }
} finally {
  execFileSync('umount', [disk])
  rmdirSync(disk)
}
const seconds = (performance.now() - startedAt) / 1000
console.log(`${broken} broken, ${seconds.toFixed(0)} s`)
process.exit(broken > 0 ? 1 : 0)

type Postgres = Awaited<ReturnType<typeof startPostgresServer>>

async function runRounds(postgres: Postgres): Promise<number> {
  const server = await startServer(postgres.url)
  const cookie = await signUp(server)
  const told: Told = { requests: new Set(), completed: new Set() }
  let problems = 0
  for (let round = 0; round < Number(values.rounds); round++) {
    const endsLog = round % 2 === 1
    let refused = 0
    const before = told.requests.size
    const asking = burst(server, { cookie }, taps, {
      told,
      first: before,
      onRefused: () => refused++,
    })
    // It is awaited once there is room again.
    asking.catch(() => {})
    await until(() => told.requests.size - before > taps / 5)
    fillDisk()
    await until(async () => {
      if (endsLog) await query(postgres.url, 'select pg_switch_wal()').catch(() => {})
      return refused >= refusals
    }).catch(() => {})
    rmSync(filler)
    const hasEnded = !(await isRunning(postgres))
    if (hasEnded) await postgres.start()
    const problem = await asking.then(
      async () => {
        const asked = told.requests.size - before
        if (asked < taps) return `only ${asked} of ${taps} requests were answered`
        if (refused < refusals) return `the disk was full, and only ${refused} taps were refused`
        return findLoss((sql) => query(postgres.url, sql), told)
      },
      (error: unknown) => String(error),
    )
    if (problem !== null) problems++
    const what = endsLog ? 'neither tables nor log can grow' : 'tables cannot grow'
    const end = hasEnded ? ', PostgreSQL ended' : ''
    console.log(
      `${what}: ${refused} taps refused${end}, ${problem === null ? 'all whole' : `BROKEN: ${problem}`}`,
    )
  }
  await server.stop()
  const unexpected = server.lines.filter((line) => /unexpected error|ended by itself/u.test(line))
  for (const line of unexpected) console.log(`BROKEN: ${line}`)
  console.log(`${told.requests.size} requests and ${told.completed.size} completions told`)
  return problems + unexpected.length
}

/** Rejects when that takes longer than anybody should have to wait. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`It took longer than ${patienceMs} ms`)
    await setTimeout(50)
  }
}

/** To the last block. */
function fillDisk(): void {
  const file = openSync(filler, 'w')
  for (const bytes of [1 << 20, 1 << 12])
    try {
      for (const block = Buffer.alloc(bytes); ;) writeSync(file, block)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  closeSync(file)
}

/** PostgreSQL starts itself again after a crash, if there is room for it. */
async function isRunning({ url }: Postgres): Promise<boolean> {
  return until(() =>
    query(url, 'select 1').then(
      () => true,
      () => false,
    ),
  ).then(
    () => true,
    () => false,
  )
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
