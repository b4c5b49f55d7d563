import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { localDay } from '../../src/server/core/dates.ts'
import { password, TestBrowser, type TestSocket } from '../support/app.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { type ServerProcess, startProcess } from '../support/servers/server-process.ts'

/** SQLite allows one process at a time, PostgreSQL several. */
const nodes = process.env['TEST_DATABASE_URL'] ? 2 : 1
const requests = 30
const restaurantName = 'Blue Door'

let database: TestDatabase
let servers: ServerProcess[]
let ahead: number

const start = (): Promise<ServerProcess> =>
  startProcess([join(import.meta.dirname, '../support/servers/clocked-server.ts')], {
    PORT: '0',
    PUBLIC_URL: '',
    DEMO: 'off',
    GUEST_LIMITS: 'off',
    DATABASE_URL: database.url,
    CLOCK_AHEAD: String(ahead),
  })

beforeEach(async () => {
  // Their clocks start at noon, so that the day does not end meanwhile.
  ahead = Date.parse(`${localDay(Date.now(), 'UTC')}T12:00Z`) - Date.now()
  database = await freshDatabase()
  servers = []
  for (let node = 0; node < nodes; node++) servers.push(await start())
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()))
  await database.drop()
})

const at = (node: number) => new TestBrowser(() => servers[node % nodes]?.url ?? '')

async function advance(ms: number): Promise<void> {
  ahead += ms
  await Promise.all(servers.map((server) => server.sendMessage(ahead)))
}

/** How often this screen was notified that each request reached a level. */
function countNotifications(screen: TestSocket, level: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { request } of screen.ofType('request-updated'))
    if (request.level === level) counts.set(request.id, (counts.get(request.id) ?? 0) + 1)
  return counts
}

async function waitForAll(screen: TestSocket, level: number): Promise<void> {
  while (countNotifications(screen, level).size < requests) await screen.nextAny()
}

/** How often each kind of service was escalated, for each request. Read directly from the database. */
async function steps(serviceType: string): Promise<number[]> {
  const sql = `select count(*) as steps from request_event join service_request
    on service_request.id = request_event.request_id
    where kind = 'escalated' and service_type = '${serviceType}' group by request_id`
  if (database.url.startsWith('file:')) {
    using file = new DatabaseSync(database.url.slice('file:'.length), { readOnly: true })
    return file
      .prepare(sql)
      .all()
      .map((row) => Number(row['steps']))
  }
  const client = new Client(database.url)
  await client.connect()
  try {
    return (await client.query(sql)).rows.map((row) => Number(row['steps']))
  } finally {
    await client.end()
  }
}

it(`alerts each level exactly once, on ${nodes} process(es), although one process is killed in between`, async () => {
  const owner = at(0)
  await owner.ok(api.accounts.signUp, {
    body: { restaurantName, email: 'owner@example.com', password, timeZone: 'UTC' },
  })
  const tables = await owner.ok(api.floor.setUp, { body: { setupType: 'count', tableCount: requests } })
  const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const assignments = tables.map(({ id }) => ({ tableId: id, crewMemberId: maya.id }))
  await owner.ok(api.floor.assign, { body: { date: localDay(Date.now() + ahead, 'UTC'), assignments } })

  const browser = at(1)
  for (const [name, value] of owner.cookies) browser.cookies.set(name, value)
  const [first, second] = [await connectScreen(owner), await connectScreen(browser)]
  await first.request({ type: 'set-crew-member-context', crewMemberId: maya.id })

  await Promise.all(
    tables.map(({ tableNumber }, index) =>
      at(index).ok(api.requests.send, {
        body: { restaurantId: restaurantName, tableNumber, serviceType: 'food' },
      }),
    ),
  )
  await advance(41_000)
  await Promise.all([waitForAll(first, 1), waitForAll(second, 1)])

  await servers[0]?.kill()
  ahead += 26_000
  servers[0] = await start()
  await Promise.all(servers.map((server) => server.sendMessage(ahead)))
  const third = await connectScreen(owner)
  const escalated = () =>
    new Set([
      ...countNotifications(third, 2).keys(),
      ...third
        .ofType('pending-requests')
        .flatMap((list) => list.requests.filter(({ level }) => level === 2).map(({ id }) => id)),
    ])
  while (escalated().size < requests) await third.nextAny()

  await advance(600_000)
  const last = await connectScreen(owner)
  // Once a later request is escalated, every run that could have escalated the others again is over.
  const { request } = await at(0).ok(api.requests.send, {
    body: { restaurantId: restaurantName, tableNumber: '1', serviceType: 'drinks' },
  })
  await advance(46_000)
  while (!countNotifications(last, 2).has(request.id)) await last.nextAny()
  expect(await steps('food')).toEqual(Array.from({ length: requests }, () => 2))
  for (const screen of [first, second, third])
    for (const level of [1, 2])
      expect([...countNotifications(screen, level).values()].every((times) => times === 1)).toBe(true)
})
