import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { hourMs, minuteMs } from '#contract/durations.ts'
import { makeBackup } from '../../src/server/backup/make-backup.ts'
import { backUpIfDue } from '../../src/server/backup/schedule.ts'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { DatabaseUnavailable } from '../../src/server/storage/engine/errors.ts'
import type { Database } from '../../src/server/storage/engine/types.ts'
import * as settings from '../../src/server/storage/settings.ts'
import { startTestApp } from '../support/app.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'
import { tableside } from '../support/servers/command-line.ts'
import { type ServerProcess, startServer } from '../support/servers/server-process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-scheduled-'))
})
afterAll(() => rm(folder, { recursive: true }))

const isPostgres = process.env['TEST_DATABASE_URL'] !== undefined
/** Without PostgreSQL's own programs. */
const tools = { env: { PATH: '/nowhere' } }

const readiness = async ({ url }: { url: string }) => {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, body: await response.json() }
}

const metrics = async ({ url }: ServerProcess): Promise<string> => (await fetch(`${url}/metrics`)).text()

it('backups are made when they are due, for their owner only, and told', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const place = join(folder, 'kept')
  const first = await startServer(url, { BACKUP_DIR: place, BACKUP_KEEP: '2', BACKUP_EVERY: '1h' })
  await expect.poll(async () => (await readiness(first)).body.backup?.ageSeconds).toBeTypeOf('number')
  expect(statSync(place).mode & 0o777).toBe(0o700)
  const [name = ''] = readdirSync(place)
  expect(readdirSync(place)).toEqual([expect.stringMatching(/^tableside-\d{8}T\d{6}Z\.(?:db|dump)$/u)])
  expect((await tableside(['verify', join(place, name)])).code).toBe(0)
  expect(await metrics(first)).toMatch(
    /^tableside_backup_age_seconds \d+\n(?:.*\n)*tableside_backup_overdue 0$/mu,
  )
  await first.stop()

  // Not due, so a restart makes none.
  const second = await startServer(url, { BACKUP_DIR: place, BACKUP_KEEP: '2', BACKUP_EVERY: '1h' })
  expect((await readiness(second)).body.backup).toMatchObject({ overdue: false })
  const diagnosis = await tableside(['doctor', '--json'], { DATABASE_URL: url, BACKUP_DIR: place })
  expect(diagnosis.out).toContain('The last one is of ')
  await second.stop()
  expect(readdirSync(place)).toEqual([name])
  expect([...first.lines, ...second.lines]).toEqual([])
})

it('scheduled backups remove older ones of their own name, and nothing else', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const place = await mkdtemp(join(folder, 'older-'))
  const older = [1, 2, 3].map((day) => `tableside-2026010${day}T000000Z.db`)
  const ahead = ['tableside-20990101T000000Z.db', 'tableside-20990102T000000Z.db']
  const others = ['letter.txt', 'tableside-2026.db', 'my-tableside-20260101T000000Z.db', ...ahead]
  for (const name of [...older, ...others]) await writeFile(join(place, name), 'old')
  const server = await startServer(url, { BACKUP_DIR: place, BACKUP_KEEP: '2' })
  await expect
    .poll(() => readdirSync(place).filter((name) => older.includes(name)))
    .toEqual(['tableside-20260103T000000Z.db'])
  await server.stop()
  expect(readdirSync(place)).toEqual(expect.arrayContaining(others))
  expect(readdirSync(place)).toHaveLength(others.length + 2)
})

it('scheduled backups go on after the clock was ahead', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const place = await mkdtemp(join(folder, 'ahead-'))
  const at = Date.parse('2099-01-01')
  const database = await openDatabase(url)
  await database.transact((db) =>
    settings.put(db, 'backup', JSON.stringify({ state: 'done', startedAt: at, lastAt: at })),
  )
  await database.close()
  const server = await startServer(url, { BACKUP_DIR: place })
  await expect.poll(async () => (await readiness(server)).body.backup?.ageSeconds).toBeGreaterThanOrEqual(0)
  await server.stop()
  expect(readdirSync(place)).toHaveLength(1)
})

it('scheduled backups that fail are told, and take no node out of service', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const place = join(folder, 'file')
  await writeFile(place, 'no folder')
  const server = await startServer(url, { BACKUP_DIR: place })
  await expect
    .poll(() => readiness(server))
    .toEqual({
      status: 200,
      body: { status: 'ok', problems: [], backup: { ageSeconds: null, overdue: true } },
    })
  expect(await metrics(server)).toMatch(/^tableside_backup_overdue 1$/mu)
  const { code, out } = await tableside(['doctor'], { DATABASE_URL: url, BACKUP_DIR: place })
  expect(code).toBe(1)
  expect(out).toMatch(/^problem +backup +There is none yet/mu)
  await server.stop()
  expect(server.lines).toEqual([expect.stringContaining('the backup failed, will retry')])
})

it('a backup is given up when its server stops, and begun again at once by the next', async () => {
  const { url, drop } = await freshDatabase()
  const place = await mkdtemp(join(folder, 'given-up-'))
  const app = await startTestApp({ databaseUrl: url })
  onTestFinished(async () => {
    await app.stop()
    await drop()
  })
  const backUp = (onProgress: () => void) =>
    backUpIfDue(app.ctx, { folder: place, everyMs: hourMs, keep: 7 }, (target, options) =>
      makeBackup({ databaseUrl: url, databaseDirectUrl: null }, target, { ...options, tools, onProgress }),
    )
  const said = (text: string) => app.lines.filter((line) => line.includes(text)).length

  // As large as several steps of the copy.
  await app.ctx.db.transact((db) => settings.put(db, 'large', 'x'.repeat(2e7)))
  let stopped: Promise<void> | undefined
  app.ctx.background(() =>
    backUp(() => {
      stopped ??= app.pause()
    }),
  )
  await app.whenIdle()
  await stopped
  expect(readdirSync(place)).toEqual([])
  expect([said('a backup was given up'), said('"backed up"')]).toEqual([1, 0])

  await app.start()
  await backUp(() => {})
  expect(readdirSync(place)).toHaveLength(1)
  expect(said('"backed up"')).toBe(1)
})

it('a backup keeps others from beginning one for as long as it runs, and is told when it is overdue', async () => {
  const schedule = { folder: join(folder, 'long'), everyMs: hourMs, keep: 7 }
  const app = await startTestApp({ backup: schedule })
  onTestFinished(() => app.stop())
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const stored = async () => JSON.parse((await settings.get(app.ctx.db.reader, 'backup')) ?? '{}')
  const isOverdue = async () => (await readiness(app)).body.backup.overdue
  const begun: string[] = []
  const backUp = (name: string, work: Promise<void>) =>
    backUpIfDue(app.ctx, schedule, async (target, { now, signal }) => {
      begun.push(name)
      const ended = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => ended.reject(signal.reason))
      await Promise.race([work, ended.promise])
      return { file: join(target, String(now)), bytes: 1, kind: 'sqlite' }
    })

  const first = backUp('first', new Promise(() => {}))
  await expect.poll(() => begun).toEqual(['first'])
  for (let minutes = 0; minutes <= 120; minutes += 9) {
    expect(await isOverdue()).toBe(false)
    app.advance(9 * minuteMs)
    vi.advanceTimersByTime(minuteMs)
    await expect.poll(async () => (await stored()).renewedAt).toBe(app.now())
    await backUp('another', Promise.resolve())
  }
  expect(begun).toEqual(['first'])
  expect(await isOverdue()).toBe(true)

  // Its node was asleep.
  app.advance(10 * minuteMs)
  await backUp('second', Promise.resolve())
  expect(begun).toEqual(['first', 'second'])
  expect(await isOverdue()).toBe(false)
  vi.advanceTimersByTime(minuteMs)
  await first
  expect(await stored()).toMatchObject({ state: 'done', lastAt: app.now() })
  expect(app.lines.splice(0).map((line) => JSON.parse(line).msg)).toEqual([
    'backed up',
    'the backup failed, will retry',
  ])
})

it('a backup goes on when the answer to a renewal is lost', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.stop())
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const renewedAt = async () =>
    JSON.parse((await settings.get(app.ctx.db.reader, 'backup')) ?? '{}').renewedAt
  let [isCut, lost] = [false, 0]
  const transact: Database['transact'] = async (task, options) => {
    const answer = await app.ctx.db.transact(task, options)
    if (!isCut) return answer
    lost++
    throw new DatabaseUnavailable('The connection broke')
  }
  const [begun, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const backup = backUpIfDue(
    { ...app.ctx, db: { ...app.ctx.db, transact } },
    { folder: join(folder, 'renewed'), everyMs: hourMs, keep: 7 },
    async (target, { signal }) => {
      begun.resolve()
      await finished.promise
      signal.throwIfAborted()
      return { file: join(target, 'backup'), bytes: 1, kind: 'sqlite' }
    },
  )
  await begun.promise
  const pass = () => {
    app.advance(minuteMs)
    vi.advanceTimersByTime(minuteMs)
  }
  isCut = true
  for (const times of [1, 2]) {
    pass()
    await expect.poll(() => lost).toBe(times)
    expect(await renewedAt()).toBe(app.now())
  }
  isCut = false
  pass()
  await expect.poll(renewedAt).toBe(app.now())
  finished.resolve()
  await backup
  expect(app.lines.map((line) => JSON.parse(line).msg)).toEqual(['backed up'])
})

it('a backup that another server has overtaken is not the one that is noted', async () => {
  const schedule = { folder: join(folder, 'overtaken'), everyMs: hourMs, keep: 7 }
  const app = await startTestApp()
  onTestFinished(() => app.stop())
  const backUp = (work: () => Promise<void>) =>
    backUpIfDue(app.ctx, schedule, async (target, { now }) => {
      await work()
      return { file: join(target, String(now)), bytes: 1, kind: 'sqlite' }
    })
  const [begun, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = backUp(() => {
    begun.resolve()
    return finished.promise
  })
  await begun.promise
  // Its node is asleep, and finishes before it could renew its lease.
  app.advance(10 * minuteMs)
  const startedAt = app.now()
  await backUp(async () => {
    finished.resolve()
    await first
  })
  const stored = JSON.parse((await settings.get(app.ctx.db.reader, 'backup')) ?? '{}')
  expect(stored).toEqual({ state: 'done', startedAt, lastAt: startedAt })
  expect(app.lines.map((line) => JSON.parse(line).msg)).toEqual([
    'a backup is whole, but another server has begun one meanwhile',
    'backed up',
  ])
})

it('a backup is no failure because older ones could not be removed', async () => {
  const schedule = { folder: join(folder, 'gone'), everyMs: hourMs, keep: 1 }
  const app = await startTestApp()
  onTestFinished(() => app.stop())
  await backUpIfDue(app.ctx, schedule, async (target) => {
    await rm(target, { recursive: true })
    return { file: join(target, 'backup'), bytes: 1, kind: 'sqlite' }
  })
  expect(app.lines.map((line) => JSON.parse(line).msg)).toEqual([
    'backed up',
    'older backups could not be removed',
  ])
})

it.runIf(isPostgres)('no server waits for a pg_dump that waits', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const place = join(folder, 'waiting')
  const programs = await mkdtemp(join(folder, 'programs-'))
  const begun = join(programs, 'begun')
  await writeFile(
    join(programs, 'pg_dump'),
    `#!/bin/sh\ncase "$*" in --version) echo "pg_dump (PostgreSQL) 99.1";; *) touch ${begun}; exec sleep 600;; esac\n`,
    { mode: 0o700 },
  )
  const PATH = `${programs}:${process.env['PATH']}`
  const first = await startServer(url, { BACKUP_DIR: place, PATH })
  await expect.poll(() => existsSync(begun)).toBe(true)
  expect(readdirSync(place)).toHaveLength(1)
  await first.stop()
  expect(readdirSync(place)).toEqual([])
  const second = await startServer(url, { BACKUP_DIR: place })
  await expect.poll(async () => (await readiness(second)).body.backup?.ageSeconds).toBeTypeOf('number')
  await second.stop()
  expect([...first.lines, ...second.lines]).toEqual([])
})

it('scheduled backups need settings that make sense', async () => {
  const { code, out } = await tableside(['doctor'], { BACKUP_EVERY: 'daily' })
  expect(code).toBe(1)
  expect(out).toContain('BACKUP_EVERY must be a time such as 90m, 24h or 7d, from 5m to 366d, not "daily"')
  expect(out).toContain('BACKUP_EVERY and BACKUP_KEEP need BACKUP_DIR')
})
