import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { Client } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { connectScreen } from '../support/pages/crew-view.ts'

const onPostgres = process.env['TEST_DATABASE_URL'] !== undefined

const start = async () => {
  const app = await startTestApp()
  onTestFinished(() => app.stop())
  const { name, device } = await app.restaurant({ tables: ['1', '2'] })
  const ask = (id: string, tableNumber = '1') =>
    app.browser().send('POST', '/api/service-requests', {
      id,
      restaurantId: name,
      tableNumber,
      serviceType: 'general',
    })
  return { app, name, device, ask }
}

const ready = async (app: TestApp) => {
  app.advance(2_000)
  const response = await app.browser().fetch('/readyz')
  return { status: response.status, body: await response.json() }
}

/** Whether proxies send guests and screens here. */
const serves = async (app: TestApp): Promise<boolean> => (await app.browser().fetch('/servingz')).ok

it('goes on serving while screens hear from other nodes only every few seconds', async () => {
  const { app, device, ask } = await start()
  const screen = await connectScreen(device)
  vi.spyOn(app.ctx.bus, 'ready').mockResolvedValue(false)
  expect(await ready(app)).toMatchObject({ status: 503, body: { problems: ['The bus does not answer'] } })
  expect(await serves(app)).toBe(true)
  expect((await ask('tap')).status).toBe(201)
  expect((await screen.next('new-request')).request.id).toBe('tap')
})

it('says that it is ready as soon as it is, though its clock was set back meanwhile', async () => {
  const { app } = await start()
  const answersOfBus = vi.spyOn(app.ctx.bus, 'ready').mockResolvedValue(false)
  expect((await ready(app)).status).toBe(503)
  answersOfBus.mockRestore()
  app.advance(-3_600_000)
  expect((await ready(app)).status).toBe(200)
})

it('answers 503 while the database is read-only, and accepts the same tap afterwards', async () => {
  const { app, name, device, ask } = await start()
  const screen = await device.connect()
  expect((await ask('before')).status).toBe(201)
  expect(await ready(app)).toEqual({ status: 200, body: { status: 'ok', problems: [] } })

  const end = await stopWrites(app)
  const unready = await ready(app)
  expect(unready.status).toBe(503)
  expect(unready.body).toMatchObject({ problems: expect.arrayContaining(['The database takes no writes']) })
  expect(await serves(app)).toBe(true)
  const refused = await ask('tap', '2')
  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await screen.request({ type: 'complete-request', id: 'before' })).toMatchObject({
    type: 'error',
    code: 'unavailable',
  })
  const tapped = await app.browser().fetch('/customer', {
    method: 'POST',
    body: new URLSearchParams({ action: 'ask', r: name, t: '2', serviceType: 'general' }),
  })
  expect(tapped.status).toBe(503)
  expect(await tapped.text()).toContain('Please wave to your waiter.')

  await end()
  await expect.poll(async () => (await ready(app)).status).toBe(200)
  expect((await ask('tap', '2')).status).toBe(201)
  expect((await ask('tap', '2')).status).toBe(200)
})

it('checks the database at most once every two seconds, and never makes it grow', async () => {
  const { app } = await start()
  await ready(app)
  const written = async () =>
    app.ctx.db.reader.selectFrom('setting').select('value').where('name', '=', 'health-check').execute()
  const first = await written()
  expect(first).toHaveLength(1)
  app.advance(1_000)
  await app.browser().fetch('/readyz')
  expect(await written()).toEqual(first)
  await ready(app)
  expect(await written()).toHaveLength(1)
  expect(await written()).not.toEqual(first)
})

it(
  'answers 503 while the database fails, and stores all of a tap or nothing',
  onPostgres ? loseDatabase : fillItsDisk,
)

/** Expects every entry point to report it. */
async function loseDatabase(): Promise<void> {
  const { app, name, ask } = await start()
  const back = await close(app)
  expect((await ready(app)).status).toBe(503)
  expect(await serves(app)).toBe(true)
  expect(await ask('tap')).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  const page = await app.browser().fetch(`/customer?r=${encodeURIComponent(name)}&t=1`)
  expect(page.status).toBe(503)
  expect(page.headers.get('retry-after')).toBe('5')
  expect(await page.text()).toContain('Please wave to your waiter.')
  await back()
  expect((await ask('tap')).status).toBe(201)
}

/** Fails at each of a tap's writes in turn. */
async function fillItsDisk(): Promise<void> {
  const { app, ask } = await start()
  const { db } = app.ctx
  const { rows } = await sql<{
    pageCount: number
  }>`select page_count as "pageCount" from pragma_page_count`.execute(db.reader)
  await db.transact((inside) =>
    sql`pragma max_page_count = ${sql.lit(rows[0]?.pageCount ?? 0)}`.execute(inside),
  )
  const statuses: number[] = []
  const stored: string[] = []
  for (let count = 0; statuses.at(-1) !== 503; count++) {
    const { status } = await ask(`tap-${count}`, String(1 + (count % 2)))
    statuses.push(status)
    if (status < 300) stored.push(`tap-${count}`)
  }
  const events = async () =>
    (await db.reader.selectFrom('requestEvent').select('id').where('id', 'like', 'tap-%').execute()).map(
      ({ id }) => id,
    )
  expect((await events()).toSorted()).toEqual(stored.toSorted())
  await db.transact((inside) => sql`pragma max_page_count = 1000000`.execute(inside))
  const last = `tap-${statuses.length - 1}`
  expect((await ask(last)).status).toBeLessThan(300)
  expect(await events()).toContain(last)
}

/** Executes statements as an operator of PostgreSQL would, on a separate connection. */
async function operate(app: TestApp, statements: (database: string) => string[]): Promise<void> {
  const url = new URL(app.ctx.db.url)
  const database = url.pathname.slice(1)
  url.pathname = '/postgres'
  const client = new Client({ connectionString: url.href })
  await client.connect()
  for (const statement of statements(database)) await client.query(statement)
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database])
  await client.end()
}

/** Makes the database read-only until the returned function is called. */
async function stopWrites(app: TestApp): Promise<() => Promise<void>> {
  if (onPostgres) {
    const set = (on: boolean) =>
      operate(app, (name) => [`alter database ${name} set default_transaction_read_only = ${on}`])
    await set(true)
    return () => set(false)
  }
  const writable = app.ctx.db
  app.ctx.db = { ...writable, transact: async () => fillDisk() }
  return async () => {
    app.ctx.db = writable
  }
}

/** Throws what SQLite throws on a full disk. */
function fillDisk(): never {
  using small = new DatabaseSync(':memory:')
  small.exec('create table note (body text); pragma max_page_count = 2')
  for (;;) small.exec(`insert into note values ('${'x'.repeat(1000)}')`)
}

async function close(app: TestApp): Promise<() => Promise<void>> {
  const allow = (on: boolean) => operate(app, (name) => [`alter database ${name} allow_connections ${on}`])
  await allow(false)
  return () => allow(true)
}
