import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { createPostgresBus } from '../../src/server/adapters/bus/postgres-bus.ts'
import { startTestApp, TestBrowser } from '../support/app.ts'
import { recordingLog, recordingMetrics } from '../support/buses.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { startPgBouncer } from '../support/postgres/pgbouncer.ts'
import { tableside } from '../support/servers/command-line.ts'
import { startServer } from '../support/servers/server-process.ts'

async function startPooler(database: { url: string; drop: () => Promise<void> }, settings = {}) {
  const pooler = await startPgBouncer(database.url, settings)
  onTestFinished(async () => {
    await pooler.stop()
    await database.drop()
  })
  return pooler
}

it('serves guests and crews on two nodes whose transactions go through PgBouncer', async () => {
  const database = await freshDatabase()
  const pooler = await startPooler(database)
  const urls = { databaseUrl: pooler.url, databaseDirectUrl: database.url, guestLimits: false }
  const [a, b] = await Promise.all([startTestApp(urls), startTestApp(urls)])
  expect(a.ctx.db.sharesReads).toBe(false)
  const { name, owner, device } = await a.restaurant()
  const deviceAtB = device.sentTo(b)
  const crew = await connectScreen(deviceAtB)
  const guest = await a.browser().connect()
  await guest.request({ type: 'set-restaurant-context', restaurantId: name, tableNumber: '0' })

  const browsers = [a.browser(), new TestBrowser(() => b.url)]
  const tap = async (table: number, id = randomUUID()) =>
    browsers[table % 2]?.ok(api.requests.send, {
      body: { id, restaurantId: name, tableNumber: String(table), serviceType: 'drinks' },
    })
  const ids = Array.from({ length: 60 }, () => randomUUID())
  // Each tap twice, and a refusal beside every group of them.
  const [taps] = await Promise.all([
    Promise.all(ids.flatMap((id, table) => [tap(table, id), tap(table, id)])),
    Promise.all(
      browsers.map((browser) =>
        browser.call(api.requests.send, {
          body: { restaurantId: 'Nowhere', tableNumber: '1', serviceType: 'drinks' },
        }),
      ),
    ),
  ])
  expect(new Set(taps.map((answer) => answer?.request.id))).toEqual(new Set(ids))
  const arrived = new Map<number, string>()
  while (arrived.size < ids.length) {
    const { seq, request } = await crew.next('new-request')
    arrived.set(seq ?? 0, request.id)
  }
  expect([...arrived.keys()]).toEqual(ids.map((_, index) => index + 1))
  expect(new Set(arrived.values())).toEqual(new Set(ids))

  const screens = await Promise.all(
    [device, deviceAtB, device, deviceAtB, device, deviceAtB].map((of) => of.connect()),
  )
  const answers = await Promise.all(
    ids.map(async (id, index) => screens[index % screens.length]?.request({ type: 'complete-request', id })),
  )
  expect(answers.filter((answer) => answer?.type !== 'ack')).toEqual([])
  expect(await guest.next('request-completed')).toMatchObject({ id: ids[0] })
  const open = a.ctx.db.reader.selectFrom('serviceRequest').select('id').where('closedAt', 'is', null)
  expect(await open.execute()).toEqual([])

  await owner.ok(api.floor.setUp, { body: { setupType: 'count', tableCount: 3 } })
  const today = new Date(a.now()).toISOString().slice(0, 10)
  const csv = await owner.fetch(`/api/analytics/events.csv?from=${today}&to=${today}`)
  expect((await csv.text()).match(/,completed,/gu)).toHaveLength(ids.length)
  crew.close()
  deviceAtB.close()
  await Promise.all([a.stop(), b.stop()])
})

const found = 'Instead of PostgreSQL a connection pooler answered, such as PgBouncer'
const advice =
  'Please set DATABASE_DIRECT_URL to the address of PostgreSQL itself; DATABASE_URL may lead to the pooler'
const explanation = `the server did not start: ${found}\n${advice}\nended by itself: 1`

it.for([
  ['refuses settings', {}],
  [
    'ignores settings',
    {
      ignore_startup_parameters: 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
    },
  ],
] as const)('says at the start that a pooler that %s needs DATABASE_DIRECT_URL', async ([, settings]) => {
  const pooler = await startPooler(await emptyDatabase(), settings)
  await expect(startServer(pooler.url)).rejects.toThrow(explanation)
  await expect(startServer(pooler.url, { DATABASE_DIRECT_URL: pooler.url })).rejects.toThrow(explanation)

  const env = { DATABASE_URL: pooler.url }
  const { checks } = JSON.parse((await tableside(['doctor', '--json'], env)).out)
  expect(checks).toContainEqual({ name: 'database', state: 'problem', text: `${found}. ${advice}` })
  expect(await tableside(['migrate', '--plan'], env)).toMatchObject({ code: 1, err: `${found}\n${advice}\n` })
})

it('a bus that hears nothing through a pooler is not ready', async () => {
  const database = await emptyDatabase()
  const pooler = await startPooler(database)
  const through = async (url: string) => {
    const bus = await createPostgresBus(url, recordingLog, recordingMetrics)
    onTestFinished(() => bus.close())
    return bus
  }
  const [deaf, hearing] = [await through(pooler.url), await through(database.url)]
  expect([await deaf.ready(), await hearing.ready()]).toEqual([false, true])
})

it('an export through a pooler that refuses settings says what is missing', async () => {
  const pooler = await startPooler(await freshDatabase())
  expect(await tableside(['export', 'Blue Door'], { DATABASE_URL: pooler.url })).toMatchObject({
    code: 1,
    err: `${found}\n${advice}\n`,
  })
})

it('a server does not start when DATABASE_DIRECT_URL leads to another database', async () => {
  const [database, other] = [await emptyDatabase(), await emptyDatabase()]
  const pooler = await startPooler(database)
  await expect(startServer(pooler.url, { DATABASE_DIRECT_URL: other.url })).rejects.toThrow(
    'DATABASE_DIRECT_URL leads to another database',
  )
  await other.drop()
})

it('doctor says whether the database can be reached through the pooler', async () => {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  const pooler = await startPgBouncer(database.url)
  const env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url }
  const ask = async (): Promise<unknown> =>
    JSON.parse((await tableside(['doctor', '--json'], env)).out).checks
  expect(await ask()).toContainEqual(expect.objectContaining({ name: 'pooler', state: 'ok' }))
  await pooler.stop()
  const checks = await ask()
  expect(checks).toContainEqual(expect.objectContaining({ name: 'database', state: 'ok' }))
  expect(checks).toContainEqual({
    name: 'pooler',
    state: 'problem',
    text: expect.stringMatching(/through DATABASE_URL\): .*ECONNREFUSED.*\. Please start the pooler/u),
  })
})
