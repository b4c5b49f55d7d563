import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { openDatabase } from '../src/server/storage/engine/database.ts'
import type { Database } from '../src/server/storage/engine/types.ts'
import { listRestaurantTables } from '../src/server/storage/export/restaurant-tables.ts'
import { password, TestBrowser } from './support/app.ts'
import { emptyDatabase, emptySqliteDatabase } from './support/database.ts'
import { insertUsedChannel } from './support/outside/used-channel.ts'
import { readZip } from './support/reading/zip-reader.ts'
import { tableside } from './support/servers/command-line.ts'
import { type ServerProcess, startServer } from './support/servers/server-process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-export-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function start(env: Record<string, string> = {}) {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const server = await startServer(url, env)
  return { url, server, browser: () => new TestBrowser(() => server.url) }
}

async function signUp(server: ServerProcess, restaurantName: string): Promise<TestBrowser> {
  const owner = new TestBrowser(() => server.url)
  await owner.ok(api.accounts.signUp, {
    body: { restaurantName, email: 'owner@example.com', password, timeZone: 'UTC' },
  })
  await owner.ok(api.floor.setUp, { body: { setupType: 'custom', customTables: ['1', '2'] } })
  await owner.ok(api.crew.add, { body: { name: `Zebulon of ${restaurantName}`, role: 'Server' } })
  return owner
}

const tap = (server: ServerProcess, restaurantId: string) =>
  new TestBrowser(() => server.url).call(api.requests.send, {
    body: { id: randomUUID(), restaurantId, tableNumber: '1', serviceType: 'drinks' },
  })

async function inDatabase<T>(url: string, task: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url)
  try {
    return await task(database)
  } finally {
    await database.close()
  }
}

it('erases a restaurant everywhere, signs out its screens, and leaves the others alone', async () => {
  const { url, server, browser } = await start()
  for (const name of ['Blue Door', 'Red Door']) {
    await signUp(server, name)
    await tap(server, name)
  }
  const device = browser()
  await device.ok(api.accounts.restaurantLogin, { body: { restaurantName: 'Blue Door', password } })
  const screen = await device.connect()

  const unattended = await tableside(['erase', 'Blue', 'Door'], { DATABASE_URL: url })
  expect(unattended).toMatchObject({
    code: 2,
    err: 'Nobody is there to be asked. Please add --yes to erase it.\n',
  })
  expect((await tap(server, 'Blue Door')).status).toBe(200)

  const { code, out } = await tableside(['erase', 'blue', 'door', '--yes', '--json'], { DATABASE_URL: url })
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    restaurantName: 'Blue Door',
    rows: {
      service_request: 1,
      request_event: expect.any(Number),
      audit_entry: expect.any(Number),
      crew_member: 1,
      session: 2,
    },
  })
  await screen.closed
  expect((await device.call(api.accounts.session, {})).status).toBe(401)
  expect((await tap(server, 'Blue Door')).status).toBe(404)
  expect((await tap(server, 'Red Door')).status).toBe(200)
  expect(await tableside(['erase', 'Blue Door', '--yes'], { DATABASE_URL: url })).toEqual({
    code: 1,
    out: '',
    err: 'There is no restaurant "Blue Door"\n',
  })
  await server.stop()
  expect(server.lines).toEqual([])
  await inDatabase(url, async ({ reader, engine }) => {
    const left = await reader.selectFrom('restaurant').select(['id', 'name']).execute()
    expect(left.map(({ name }) => name)).toEqual(['Red Door'])
    for (const table of await listRestaurantTables(reader, engine)) {
      const query = sql`select 1 from ${sql.table(table)} where restaurant_id <> ${left[0]?.id}`
      expect({ table, rows: (await query.execute(reader)).rows }).toEqual({ table, rows: [] })
    }
  })
})

it('leaves nothing of an erased restaurant in the file of SQLite', async () => {
  const { url, drop } = await emptySqliteDatabase()
  onTestFinished(drop)
  const server = await startServer(url)
  for (const name of ['Blue Door', 'Red Door']) await signUp(server, name)
  expect((await tableside(['erase', 'Blue Door', '--yes'], { DATABASE_URL: url })).code).toBe(0)
  await server.stop()
  const bytes = readFileSync(url.slice('file:'.length))
  expect(bytes.includes('Zebulon of Red Door')).toBe(true)
  expect(bytes.includes('Zebulon of Blue Door')).toBe(false)
})

it('leaves nothing of its payments in the file of SQLite', async () => {
  const { url, drop } = await emptySqliteDatabase()
  onTestFinished(drop)
  const server = await startServer(url)
  await signUp(server, 'Blue Door')
  await server.stop()
  await inDatabase(url, (database) =>
    database.transact(async (db) => {
      const { id: restaurantId } = await db.selectFrom('restaurant').select('id').executeTakeFirstOrThrow()
      for (const customerId of ['of Blue Door', 'of another']) {
        const object = { id: `object ${customerId}`, customerId, kind: 'setup', version: 1 }
        await db
          .insertInto('sandboxObject')
          .values({ ...object, value: `card ${customerId}` })
          .execute()
      }
      const customer = { restaurantId, provider: 'sandbox', customerId: 'of Blue Door', deletedAt: null }
      await db.insertInto('paymentCustomer').values(customer).execute()
    }),
  )
  expect((await tableside(['erase', 'Blue Door', '--yes'], { DATABASE_URL: url })).code).toBe(0)
  const bytes = readFileSync(url.slice('file:'.length))
  expect(bytes.includes('card of another')).toBe(true)
  expect(bytes.includes('card of Blue Door')).toBe(false)
})

it('erases while no server runs, says what is out of reach, and refuses what is still charged', async () => {
  const { url, server } = await start()
  await signUp(server, 'Blue Door')
  await server.stop()
  const place = await mkdtemp(join(folder, 'held-'))
  const env = { DATABASE_URL: url, BACKUP_DIR: place }
  expect((await tableside(['backup'], env)).code).toBe(0)
  const subscribed = (status: string) =>
    inDatabase(url, (database) =>
      database.transact(async (db) => {
        const { id: restaurantId } = await db.selectFrom('restaurant').select('id').executeTakeFirstOrThrow()
        await db.deleteFrom('subscription').execute()
        await db
          .insertInto('subscription')
          .values({
            restaurantId,
            provider: 'stripe',
            subscriptionId: 'sub_1',
            setupIntentId: null,
            status,
            plan: 'monthly',
            priceId: 'price_1',
            nextPlan: null,
            currentPeriodEnd: null,
            cancelAtPeriodEnd: 0,
            asOf: 1,
          })
          .execute()
        await insertUsedChannel(db, {
          restaurantId,
          id: `channel-${status}`,
          address: 'https://hooks.example.com/secret-path',
          lastAt: Date.parse('2026-11-20T12:00:00Z'),
        })
      }),
    )
  await subscribed('active')
  const refused = await tableside(['erase', 'Blue Door', '--yes'], env)
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('still charged') })
  await subscribed('canceled')
  const { code, out } = await tableside(['erase', 'Blue Door', '--yes'], env)
  expect(code).toBe(0)
  expect(out).toContain('Erased Blue Door: ')
  expect(out).toContain(', 1 login and ')
  expect(out).toContain('Backups in BACKUP_DIR hold it until they are replaced (1, the latest is ')
  expect(out).toContain(readdirSync(place)[0])
  expect(out).toContain('webhook hooks.example.com keeps what it was sent until 2026-11-20T12:00:00.000Z.')
  expect(out).not.toContain('secret-path')
})

it('exports everything about a restaurant, and nothing that gives access', async () => {
  const { url, server } = await start({ DEMO: 'on' })
  await signUp(server, 'Blue Door')
  const file = join(folder, 'copper.zip')
  const words = ['export', 'The', 'Copper', 'Pot', '--to', file]
  const { code, out, err } = await tableside([...words, '--json'], { DATABASE_URL: url })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const files = readZip(readFileSync(file))
  const manifest = JSON.parse(String(files.get('manifest.json')))
  expect(manifest.restaurant).toMatchObject({ name: 'The Copper Pot' })
  expect(manifest.retention).toEqual({
    requests: null,
    messages: null,
    log: null,
    removedBefore: { requests: null, messages: null, log: null },
  })
  const names: string[] = manifest.files.map(({ name }: { name: string }) => name)
  expect([...files.keys()].toSorted()).toEqual([...names, 'manifest.json'].toSorted())
  for (const { name, bytes, sha256, about } of manifest.files) {
    const content = files.get(name) ?? Buffer.alloc(0)
    expect({
      name,
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    }).toEqual({
      name,
      bytes,
      sha256,
    })
    expect(about).not.toBe('')
  }
  const linesOf = (name: string) =>
    String(files.get(name))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const counts = await count(url, server)
  expect(linesOf('service-request.jsonl')).toHaveLength(counts.requests)
  expect(linesOf('request-event.jsonl')).toHaveLength(counts.events)
  expect(linesOf('crew-member.jsonl')).toContainEqual(expect.objectContaining({ name: 'Maya Lindqvist' }))
  const csv = String(files.get('events.csv'))
  expect(csv.startsWith('\uFEFFrecord,kind,request_id,')).toBe(true)
  expect(csv.match(/^event,created,/gmu)).toHaveLength(counts.requests)
  const everything = [...files.values()].join('\n')
  expect(everything).not.toMatch(/\$argon2|passwordHash|codeKey|tokenHash|"secret"|p256dh|Blue Door/u)
  expect(out).not.toContain('argon2')
  expect(manifest.leftOut).toEqual(expect.arrayContaining(['session', 'push_subscription', 'recovery_code']))
  expect(await tableside(words, { DATABASE_URL: url })).toMatchObject({
    code: 1,
    err: expect.stringContaining('exists already'),
  })
  expect(await tableside(['export', 'Nobody'], { DATABASE_URL: url })).toMatchObject({
    code: 1,
    err: 'There is no restaurant "Nobody"\n',
  })

  async function count(databaseUrl: string, running: ServerProcess) {
    await running.stop()
    return inDatabase(databaseUrl, async ({ reader }) => {
      const all = (table: 'serviceRequest' | 'requestEvent') =>
        reader.selectFrom(table).select('id').execute()
      return { requests: (await all('serviceRequest')).length, events: (await all('requestEvent')).length }
    })
  }
})
