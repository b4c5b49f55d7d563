import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, type StatsFs, statSync } from 'node:fs'
import fs, { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { makeBackup } from '../../src/server/backup/make-backup.ts'
import { streamLeap } from '../../src/server/backup/rows.ts'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import * as settings from '../../src/server/storage/settings.ts'
import { password, TestBrowser } from '../support/app.ts'
import { emptyDatabase, emptySqliteDatabase, freshDatabase, type TestDatabase } from '../support/database.ts'
import { tableside } from '../support/servers/command-line.ts'
import { type ServerProcess, startServer } from '../support/servers/server-process.ts'

let folder: string
let source: TestDatabase
let server: ServerProcess
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-backups-'))
  source = await emptyDatabase()
  server = await startServer(source.url, { DEMO: 'on' })
  await signUp(server)
})
afterAll(async () => {
  await server.stop()
  await source.drop()
  await rm(folder, { recursive: true })
})

const signUp = ({ url }: ServerProcess): Promise<unknown> =>
  new TestBrowser(() => url).ok(api.accounts.signUp, {
    body: { restaurantName: 'Blue Door', email: 'owner@example.com', password, timeZone: 'UTC' },
  })

const isPostgres = process.env['TEST_DATABASE_URL'] !== undefined
/** Without PostgreSQL's own programs. */
const bare = { PATH: '/nowhere' }
const formats: [kind: string, env: Record<string, string>][] = isPostgres
  ? [
      ['pg_dump', {}],
      ['logical', bare],
    ]
  : [['sqlite', {}]]

/** Runs a command that succeeds. */
async function run(words: string[], env: Record<string, string> = {}) {
  const { code, out, err } = await tableside([...words, '--json'], env)
  expect({ code, err, out }).toEqual({
    code: 0,
    err: '',
    out: expect.stringMatching(/^\{\n {2}"ok": true,/u),
  })
  return JSON.parse(out)
}

const tap = (): Promise<unknown> =>
  new TestBrowser(() => server.url).ok(api.requests.send, {
    body: {
      id: randomUUID(),
      restaurantId: 'Blue Door',
      tableNumber: randomUUID().slice(0, 8),
      serviceType: 'drinks',
    },
  })

async function readKeys(url: string): Promise<(string | undefined)[]> {
  const database = await openDatabase(url)
  try {
    const names = ['installation-key', 'push-keys']
    return await Promise.all(names.map((name) => settings.get(database.reader, name)))
  } finally {
    await database.close()
  }
}

async function readStreamNumbers(url: string): Promise<number[]> {
  const database = await openDatabase(url)
  try {
    return (await database.reader.selectFrom('liveStream').select('lastSeq').execute()).map(
      ({ lastSeq }) => lastSeq,
    )
  } finally {
    await database.close()
  }
}

/** A server on a restored database knows what the other one knew. */
async function expectUsable(url: string): Promise<void> {
  const restored = await startServer(url)
  await new TestBrowser(() => restored.url).ok(api.accounts.ownerLogin, {
    body: { username: 'Blue Door', password },
  })
  await restored.stop()
  expect(restored.lines.filter((line) => line.startsWith('{'))).toEqual([])
}

describe.for(formats)('a backup in the form of %s', ([kind, env]) => {
  it('is made while guests tap, verified, and restored into an empty place', async () => {
    const tapping = Promise.all(Array.from({ length: 40 }, tap))
    const file = join(folder, `${kind}-backup`)
    const made = await run(['backup', file], { DATABASE_URL: source.url, ...env })
    await tapping
    expect(made).toMatchObject({ file, kind, bytes: statSync(file).size })
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const verified = await run(['verify', file])
    expect(verified).toMatchObject({ kind, restaurants: 2, differences: [], differenceCount: 0 })
    expect(verified.requests).toBeGreaterThan(100)

    const target = await emptyDatabase()
    onTestFinished(() => target.drop())
    await run(['restore', file], { DATABASE_URL: target.url })
    const again = await tableside(['restore', file], { DATABASE_URL: target.url })
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.err).toMatch(isPostgres ? /^The database is not empty/u : /exists already/u)
    const copied = join(folder, `${kind}-copy`)
    await run(['backup', copied], { DATABASE_URL: target.url, ...env })
    expect(await run(['verify', copied])).toMatchObject({
      requests: verified.requests,
      events: verified.events,
      differences: [],
    })
    // No screen that had come further than the backup takes a later event for one that it knows.
    expect(Math.min(...(await readStreamNumbers(target.url)))).toBeGreaterThan(streamLeap)
    // Last, because a server escalates what still waits.
    await expectUsable(target.url)
    expect(server.lines.filter((line) => line.startsWith('{'))).toEqual([])
  })

  it('can be restored into the other kind of database', async () => {
    const file = join(folder, `${kind}-elsewhere`)
    await run(['backup', file], { DATABASE_URL: source.url, ...env })
    const target = await emptySqliteDatabase()
    onTestFinished(() => target.drop())
    await run(['restore', file], { DATABASE_URL: target.url })
    await expectUsable(target.url)
    const back = join(folder, `${kind}-back`)
    await run(['backup', back], { DATABASE_URL: target.url })
    expect(await run(['verify', back])).toMatchObject({ kind: 'sqlite', differences: [] })
    const home = await emptyDatabase()
    onTestFinished(() => home.drop())
    await run(['restore', back], { DATABASE_URL: home.url })
    await expectUsable(home.url)
    expect(await readKeys(home.url)).toEqual(await readKeys(target.url))
  })
})

it('a backup is whole even if the server stops meanwhile, and takes the keys along', async () => {
  const database = await emptyDatabase()
  onTestFinished(() => database.drop())
  const other = await startServer(database.url)
  await signUp(other)
  const file = join(folder, 'stopped')
  await Promise.all([run(['backup', file], { DATABASE_URL: database.url }), other.stop()])
  await run(['verify', file])
  const target = await emptyDatabase()
  onTestFinished(() => target.drop())
  await run(['restore', file], { DATABASE_URL: target.url })
  expect(await readKeys(target.url)).toEqual(await readKeys(database.url))
  expect(await readKeys(target.url)).not.toContain(undefined)
})

it('when two backups are written into the same file at the same moment, one is kept, and neither leaves anything behind', async () => {
  const place = await mkdtemp(join(folder, 'both-'))
  const file = join(place, 'backup')
  const both = await Promise.all([1, 2].map(() => tableside(['backup', file], { DATABASE_URL: source.url })))
  expect(both.map(({ code }) => String(code)).toSorted()).toEqual(['0', '1'])
  expect(both.map(({ err }) => err).join('')).toBe(
    `${file} exists already. Nothing is ever overwritten: please name another file.\n`,
  )
  expect(readdirSync(place)).toEqual(['backup'])
  await run(['verify', file])
})

/** What every disk says of its room until the end of the test, which may change it. */
async function replaceDisk(): Promise<StatsFs> {
  const disk = await fs.statfs(folder)
  const spy = vi.spyOn(fs, 'statfs').mockImplementation(async () => disk)
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
  syncBuiltinESMExports()
  return disk
}

it.skipIf(isPostgres)('a backup is refused where it has no room', async () => {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const place = await mkdtemp(join(folder, 'full-'))
  const { size } = statSync(url.slice('file:'.length))
  const disk = await replaceDisk()
  Object.assign(disk, { bsize: 1, blocks: 2 ** 40, bavail: size + 100 * 2 ** 20 - 1 })
  const backUp = () =>
    makeBackup({ databaseUrl: url, databaseDirectUrl: null }, place, { now: Date.now(), tools: { env: {} } })
  await expect(backUp()).rejects.toThrow(
    /^There is no room for the backup in .*: it takes \d+ MB and must leave 100 MB, and 10\d MB are free\. Nothing was kept\.$/u,
  )
  expect(readdirSync(place)).toEqual([])
  disk.bavail++
  const { file } = await backUp()
  expect(readdirSync(place)).toEqual([basename(file)])
})

it.runIf(isPostgres)('a backup ends when its disk gets full, and leaves room for others', async () => {
  const place = await mkdtemp(join(folder, 'filling-'))
  const programs = await mkdtemp(join(folder, 'programs-'))
  await writeFile(
    join(programs, 'pg_dump'),
    '#!/bin/sh\ncase "$*" in --version) echo "pg_dump (PostgreSQL) 99.1";; *) exec sleep 600;; esac\n',
    { mode: 0o700 },
  )
  const disk = await replaceDisk()
  const made = makeBackup({ databaseUrl: source.url, databaseDirectUrl: null }, place, {
    now: Date.now(),
    tools: { env: { PATH: `${programs}:${process.env['PATH']}` } },
    onProgress: () => (disk.bavail = 0),
  })
  await expect(made).rejects.toThrow('it must leave 100 MB, and 0 MB are free. Nothing was kept.')
  expect(readdirSync(place)).toEqual([])
})

it('a backup is named after the time in a folder, and written nowhere else', async () => {
  const place = await mkdtemp(join(folder, 'named-'))
  const { file } = await run(['backup', place], { DATABASE_URL: source.url })
  expect(dirname(file)).toBe(place)
  expect(file).toMatch(/tableside-\d{8}T\d{6}Z\.(?:db|dump)$/u)
  const missing = await tableside(['backup', join(place, 'none', 'x')], { DATABASE_URL: source.url })
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('There is no such folder') })
  expect(existsSync(join(place, 'none'))).toBe(false)
})

it('a backup is not restored if it is cut short or something else, and leaves the place as empty as it was', async () => {
  const { file } = await run(['backup', folder], { DATABASE_URL: source.url })
  const bytes = readFileSync(file)
  const damaged: [string, Buffer][] = [
    ['half', bytes.subarray(0, bytes.length >> 1)],
    ['less', bytes.subarray(0, bytes.length - 50)],
    ['text', Buffer.from('Dear guest, this is no backup at all.')],
  ]
  const target = await emptyDatabase()
  onTestFinished(() => target.drop())
  for (const [name, content] of damaged) {
    const path = join(folder, `damaged-${name}`)
    await writeFile(path, content)
    for (const command of name === 'less' ? ['verify', 'restore'] : ['restore']) {
      const { code, out, err } = await tableside([command, path], { DATABASE_URL: target.url })
      expect({ name, command, code, out }).toEqual({ name, command, code: 1, out: '' })
      expect(err, `${command} ${name}`).toMatch(/cut short|damaged|is not a backup|failed: /u)
    }
  }
  await run(['restore', file], { DATABASE_URL: target.url })
})
