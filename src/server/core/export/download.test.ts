import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { hourMs, minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { readZip } from '../../../../test/support/reading/zip-reader.ts'
import { tableside } from '../../../../test/support/servers/command-line.ts'
import { write } from '../transaction.ts'

// The command has the machine's clock.
const app = setUpApp({ clock: 'running' })

const download = (owner: TestBrowser, init: RequestInit = {}): Promise<Response> =>
  owner.fetch(api.restaurant.download.path, { method: 'POST', ...init })

const read = async (answer: Response): Promise<Map<string, Buffer>> =>
  readZip(Buffer.from(await answer.arrayBuffer()))

const ask = (restaurantId: string, tableNumber = '1') =>
  app.browser().ok(api.requests.send, {
    body: { id: app.ctx.newId(), restaurantId, tableNumber, serviceType: 'general' },
  })

const signInAsOwner = async (username: string): Promise<TestBrowser> => {
  const owner = app.browser()
  await owner.ok(api.accounts.ownerLogin, { body: { username, password } })
  return owner
}

/** Files of this process that have no name any more. */
const openArchives = (): string[] =>
  process.platform === 'linux'
    ? readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          const path = readlinkSync(`/proc/self/fd/${fd}`)
          return path.includes('tableside-export') ? [path] : []
        } catch {
          return []
        }
      })
    : []

const namedArchives = (): string[] =>
  [tmpdir(), '.'].flatMap((folder) =>
    readdirSync(folder).filter((name) => name.startsWith('.tableside-export-')),
  )

/** Without when it was made: in the manifest, and in `events.csv`, whose sum is in the manifest. */
const withoutTime = (files: Map<string, Buffer>): Map<string, string> =>
  new Map(
    [...files].map(([name, bytes]) => [
      name,
      String(bytes)
        .replace(/"exportedAt": ".+"/u, '')
        .replace(/^range,until,.*$/mu, '')
        .replace(/(?<="name": "events\.csv",[^}]*"sha256": )"\w+"/u, ''),
    ]),
  )

/** The next file is being written until `release`. */
function holdNext() {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const original = { ...app.ctx.exports }
  const spy = vi.spyOn(app.ctx.exports, 'write').mockImplementationOnce((job, watch) =>
    original.write(job, {
      ...watch,
      async begun() {
        begin()
        await held
        await watch.begun()
      },
    }),
  )
  onTestFinished(() => {
    release()
    spy.mockRestore()
  })
  return { begun, release }
}

it('the owner’s file is the same as what the operator’s command writes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-download-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { name, owner } = await app.restaurant({ name: 'Café Zum Bären', tables: ['1', '2', '3'] })
  await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  await app.restaurant({ name: 'Another Door', tables: ['1'] })
  await ask('Another Door')
  for (const table of ['1', '2', '3']) await ask(name, table)

  const answer = await download(owner)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/zip')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(decodeURIComponent(answer.headers.get('content-disposition') ?? '')).toMatch(
    /^attachment; filename="Caf--Zum-B-ren-export-\d{8}T\d{6}Z\.zip"; filename\*=UTF-8''Café-Zum-Bären-export-\d{8}T\d{6}Z\.zip$/u,
  )
  const files = await read(answer)

  const file = join(folder, 'everything.zip')
  const said = await tableside(['export', name, '--to', file], { DATABASE_URL: app.ctx.db.url })
  expect(said).toMatchObject({ code: 0, err: '' })
  const written = readZip(readFileSync(file))
  expect(withoutTime(files)).toEqual(withoutTime(written))
  expect(String(files.get('service-request.jsonl')).trim().split('\n')).toHaveLength(3)
  expect([...files.values()].join('\n')).not.toMatch(/\$argon2|passwordHash|tokenHash|Another Door/u)
  expect([...openArchives(), ...namedArchives()]).toEqual([])
})

it('the file is for the owner, within 15 minutes of signing in', async () => {
  const { name, owner, device } = await app.restaurant()
  await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
  for (const [browser, status] of [
    [app.browser(), 401],
    [device, 403],
    [manager, 403],
  ] as const)
    expect((await download(browser)).status).toBe(status)
  app.advance(16 * minuteMs)
  const stale = await download(owner)
  expect({ status: stale.status, body: await stale.json() }).toMatchObject({
    status: 403,
    body: { code: 'recent_sign_in_required' },
  })
  await owner.ok(api.accounts.confirmIdentity, { body: { password } })
  expect((await read(await download(owner))).has('manifest.json')).toBe(true)
})

it('the file is written for one at a time, whoever asks', async () => {
  const first = await app.restaurant()
  const second = await app.restaurant()
  const { begun, release } = holdNext()
  const answer = download(first.owner)
  await begun
  const refused = await download(second.owner)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('10')
  expect(await refused.json()).toMatchObject({
    message: 'Somebody is downloading everything right now. Please try again in 10 seconds.',
  })
  release()
  expect((await read(await answer)).size).toBeGreaterThan(20)
  expect((await read(await download(second.owner))).size).toBeGreaterThan(20)
})

it('a slow download of the file keeps nobody else waiting', async () => {
  const [slow, other] = [await app.restaurant(), await app.restaurant()]
  const unread = await download(slow.owner)
  expect((await read(await download(other.owner))).size).toBeGreaterThan(20)
  expect(namedArchives()).toEqual([])
  expect((await read(unread)).size).toBeGreaterThan(20)
  await expect.poll(openArchives).toEqual([])
})

it('the file can be downloaded five times an hour', async () => {
  const { owner } = await app.restaurant()
  const other = await app.restaurant()
  for (let n = 0; n < 5; n++) expect((await read(await download(owner))).size).toBeGreaterThan(20)
  const refused = await download(owner)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
  const { message } = await refused.json()
  expect(message).toBe('Everything was downloaded several times already. Please try again in 60 minutes.')
  expect((await download(other.owner)).status).toBe(200)
  app.advance(hourMs)
  await owner.ok(api.accounts.confirmIdentity, { body: { password } })
  expect((await download(owner)).status).toBe(200)
})

it('the file is gone when nobody waits for it any more', async () => {
  const { owner } = await app.restaurant()
  const { begun } = holdNext()
  const page = new AbortController()
  const answer = download(owner, { signal: page.signal })
  await begun
  page.abort()
  await expect(answer).rejects.toThrow('aborted')
  // Its place is free again, and its file is gone.
  await expect.poll(async () => (await download(owner)).status).toBe(200)
  await expect.poll(openArchives).toEqual([])
  expect(namedArchives()).toEqual([])
})

it('the file is written elsewhere if the temporary folder is read-only', async () => {
  const { owner } = await app.restaurant()
  vi.stubEnv('TMPDIR', '/nowhere')
  expect((await read(await download(owner))).has('manifest.json')).toBe(true)
  expect(readdirSync('.').filter((name) => name.includes('tableside-export'))).toEqual([])
})

it('the file is not sent to an owner who was signed out meanwhile', async () => {
  const { name, owner } = await app.restaurant()
  const elsewhere = await signInAsOwner(name)
  const { begun, release } = holdNext()
  const answer = download(owner)
  await begun
  await elsewhere.ok(api.sessions.signOutOthers, {})
  release()
  expect((await answer).status).toBe(401)
  await expect.poll(openArchives).toEqual([])
})

it('the file is still there for 30 days after the restaurant was deleted', async () => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  const back = await signInAsOwner(name)
  const files = await read(await download(back))
  expect(String(files.get('restaurant.jsonl'))).toContain(name)
})

it('the file leaves out the notes of guests to the crew, which are kept for 24 hours', async () => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  const { request } = await ask(name)
  await write(app.ctx, ({ db }) =>
    db.updateTable('serviceRequest').set({ note: 'No nuts please' }).where('id', '=', request.id).execute(),
  )
  const files = await read(await download(owner))
  expect(String(files.get('service-request.jsonl'))).toContain(request.id)
  expect([...files.values()].join('\n')).not.toContain('No nuts')
})
