import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { migrations } from '../../src/server/storage/migrations/index.ts'
import * as settings from '../../src/server/storage/settings.ts'
import { startTestApp } from '../support/app.ts'
import { emptySqliteDatabase } from '../support/database.ts'
import { commandLine, tableside } from '../support/servers/command-line.ts'

/** What holds for backups of SQLite alone; the rest is in `test/running/backups.test.ts`. */
let folder: string
let databaseUrl: string
let backup: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-backup-files-'))
  databaseUrl = `file:${join(folder, 'data')}/tableside.db`
  // The command line has the machine's clock.
  const app = await startTestApp({ databaseUrl, clock: 'running' })
  const { name } = await app.restaurant({ tables: ['1', '2'] })
  for (const tableNumber of ['1', '2', '2'])
    await app
      .browser()
      .ok(api.requests.send, { body: { restaurantId: name, tableNumber, serviceType: 'check' } })
  backup = join(folder, 'backup.db')
  const { code, err } = await tableside(['backup', backup], { DATABASE_URL: databaseUrl })
  if (code !== 0) throw new Error(err)
  await app.stop()
})
afterAll(() => rm(folder, { recursive: true }))

let copies = 0
function copyOf(change: (path: string) => void): string {
  const path = join(folder, `copy-${++copies}.db`)
  copyFileSync(backup, path)
  change(path)
  return path
}

function changeRows(path: string, statements: string): void {
  using file = new DatabaseSync(path)
  file.exec(statements)
}

const flipBit = (path: string, position: number): void => {
  const bytes = readFileSync(path)
  bytes[position] = (bytes[position] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

it('notices a single changed bit, anywhere', async () => {
  const { size } = statSync(backup)
  for (const position of [30, 64, 5_000, size >> 1, size - 1]) {
    const path = copyOf((copy) => flipBit(copy, position))
    const { code, err } = await tableside(['verify', path])
    expect({ position, code }).toEqual({ position, code: 1 })
    expect(err).toMatch(/has changed since it was made|cut short|damaged|is not a backup/u)
  }
})

it('finds every figure that is not the one of its events', async () => {
  const path = copyOf((copy) =>
    changeRows(
      copy,
      `pragma application_id = 0;
       update service_request set asks = asks + 1, seen = 3 where table_key = '2';
       update service_request set level = 2, still_waiting_at = 7 where table_key = '2';
       update service_request set closed_at = 5, closed_as = 'completed' where table_key = '1'`,
    ),
  )
  const { code, out } = await tableside(['verify', path, '--json'])
  expect(code).toBe(1)
  const { ok, hasChecksum, differences } = JSON.parse(out)
  expect({ ok, hasChecksum }).toEqual({ ok: false, hasChecksum: false })
  expect(differences.map((line: string) => line.replace(/^request \S+: /u, ''))).toEqual(
    expect.arrayContaining([
      'it was asked 3 times, its events say 2',
      '3 screens have shown it, its events say 0',
      'its guests still waited at 1970-01-01T00:00:00.007Z, its events say never',
      'it is urgent to the degree 2, its events say 0 times raised',
      'it is completed, its events say 0 times closed, 0 times opened again',
    ]),
  )
})

it('finds rows that refer to nothing', async () => {
  const path = copyOf((copy) =>
    changeRows(copy, `pragma application_id = 0; pragma foreign_keys = off; delete from restaurant`),
  )
  const { code, out } = await tableside(['verify', path])
  expect(code).toBe(1)
  expect(out).toMatch(/\d+ rows of floor_table refer to rows of restaurant that are not there/u)
})

it('refuses a database of another program, of a newer version, and one in use', async () => {
  const foreign = join(folder, 'foreign.db')
  changeRows(foreign, 'create table letter (text)')
  const newer = copyOf((copy) =>
    changeRows(
      copy,
      `pragma application_id = 0; insert into kysely_migration values ('999-later', '2027-01-01T00:00:00.000Z')`,
    ),
  )
  const inUse = copyOf((copy) => writeFileSync(`${copy}-wal`, 'changes'))
  for (const [path, reason] of [
    [foreign, 'is not a backup of Tableside'],
    [newer, 'was made by a newer version of Tableside'],
    [inUse, 'is a database in use'],
    [folder, 'There is no file'],
    [join(folder, 'nothing'), 'There is no file'],
  ] as const)
    expect(await tableside(['verify', path])).toMatchObject({ code: 1, err: expect.stringContaining(reason) })
})

it('verifies without changing or adding anything, even where it may not write', async () => {
  const place = join(folder, 'read-only')
  mkdirSync(place)
  copyFileSync(backup, join(place, 'backup.db'))
  chmodSync(place, 0o500)
  onTestFinished(() => chmodSync(place, 0o700))
  expect(await tableside(['verify', join(place, 'backup.db')])).toMatchObject({
    code: 0,
    out: expect.stringContaining(': 1 restaurant, '),
  })
  expect(readdirSync(place)).toEqual(['backup.db'])
  expect(readFileSync(join(place, 'backup.db')).equals(readFileSync(backup))).toBe(true)
})

describe('restoring', () => {
  async function emptyPlace(): Promise<{ url: string; path: string }> {
    const { url, drop } = await emptySqliteDatabase()
    onTestFinished(drop)
    return { url, path: url.slice('file:'.length) }
  }

  it('removes what a former database left behind', async () => {
    const { url, path } = await emptyPlace()
    for (const ending of ['-wal', '-shm', '-journal']) writeFileSync(`${path}${ending}`, 'stale')
    expect(await tableside(['restore', backup], { DATABASE_URL: url })).toMatchObject({ code: 0, err: '' })
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['lock.db', 'tableside.db'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const app = await startTestApp({ databaseUrl: url })
    await app.browser().ok(api.requests.send, {
      body: { restaurantId: 'Blue Door 1', tableNumber: '1', serviceType: 'drinks' },
    })
    await app.stop()
  })

  it('overwrites nothing and follows no link', async () => {
    const { url, path } = await emptyPlace()
    writeFileSync(path, 'precious')
    const onto = await tableside(['restore', backup], { DATABASE_URL: url })
    expect(onto).toMatchObject({ code: 1, err: expect.stringContaining('exists already') })
    expect(readFileSync(path, 'utf8')).toBe('precious')

    const linked = await emptyPlace()
    const elsewhere = join(folder, 'elsewhere.db')
    symlinkSync(elsewhere, linked.path)
    const through = await tableside(['restore', backup], { DATABASE_URL: linked.url })
    expect(through).toMatchObject({ code: 1, err: expect.stringContaining('exists already') })
    expect(statSync(elsewhere, { throwIfNoEntry: false })).toBeUndefined()

    const target = join(folder, 'link-for-backup')
    symlinkSync(elsewhere, target)
    const backedUp = await tableside(['backup', target], { DATABASE_URL: databaseUrl })
    expect(backedUp).toMatchObject({ code: 1, err: expect.stringContaining('exists already') })
    expect(statSync(elsewhere, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('refuses a folder on which a server runs', async () => {
    const { url, path } = await emptyPlace()
    using lock = new DatabaseSync(join(dirname(path), 'lock.db'))
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    const { code, err } = await tableside(['restore', backup], { DATABASE_URL: url })
    expect(code).toBe(1)
    expect(err).toMatch(/^Another Tableside is running on this data folder/u)
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith('tableside'))).toEqual([])
  })

  it('brings a backup of an older version up to date', async () => {
    const { url } = await emptyPlace()
    const former = await emptyPlace()
    const known = Object.entries(migrations).slice(0, 20)
    const database = await openDatabase(former.url, { migrations: Object.fromEntries(known) })
    await database.transact((db) => settings.put(db, 'installation-key', 'as before'))
    await database.close()
    const older = join(folder, 'older.db')
    expect(await tableside(['backup', older], { DATABASE_URL: former.url })).toMatchObject({ code: 0 })
    // Also where there is no temporary folder to write to, as in the container.
    for (const env of [{}, { TMPDIR: join(folder, 'missing') }])
      expect(await tableside(['verify', older], env)).toMatchObject({ code: 0, err: '' })
    expect(await tableside(['restore', older], { DATABASE_URL: url })).toMatchObject({ code: 0 })
    const app = await startTestApp({ databaseUrl: url })
    expect(app.ctx.installationKey).toBe('as before')
    await app.stop()
  })
})

it('leaves nothing behind when it is stopped', async () => {
  const place = join(folder, 'stopped')
  mkdirSync(place)
  // Ends as the command does when it is told to stop in the middle.
  const script = `
    import { writeFileSync } from 'node:fs'
    import { writeWholeFile } from ${JSON.stringify(new URL('../../src/server/backup/whole-file.ts', import.meta.url).href)}
    await writeWholeFile(${JSON.stringify(join(place, 'x'))}, async (unfinished) => {
      writeFileSync(unfinished + '-journal', '')
      process.exit(143)
    })`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
  expect(status).toBe(143)
  expect(readdirSync(place)).toEqual([])
})

it.runIf(process.platform !== 'win32')('says that there is no room, and keeps nothing', async () => {
  const place = join(folder, 'full')
  mkdirSync(place)
  const { status, stderr } = spawnSync(
    '/bin/sh',
    ['-c', `ulimit -f 100; exec "$0" "$@"`, process.execPath, commandLine, 'backup', join(place, 'x')],
    { env: { ...process.env, DATABASE_URL: databaseUrl }, encoding: 'utf8' },
  )
  expect(status).toBe(1)
  expect(stderr).toMatch(/^\S+\/full\/x cannot be written: .+\. Nothing was kept\.$/mu)
  expect(readdirSync(place)).toEqual([])
})
