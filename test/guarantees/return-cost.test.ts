import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { post } from '../../bench/load/http-client.ts'
import { actAsBrowser, PageScreen, type Seat } from '../../bench/load/page-screen.ts'
import { openSeats } from '../../bench/load/seats.ts'
import { restaurantName } from '../../bench/systems/system-under-test.ts'
import { listPending } from '../../src/server/core/requests/crew-requests.ts'
import { startTestApp } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'
import { startPostgresCounter } from '../support/postgres/postgres-counter.ts'
import type { ServerCounts } from '../support/request-counts.ts'
import { deviceActor } from '../support/restaurants/device-actor.ts'
import { startServer } from '../support/servers/server-process.ts'

const engine = process.env['TEST_DATABASE_URL'] ? 'PostgreSQL' : 'SQLite'
const numbersOfScreens = [1, 20, 200]
const openRequests = 3

/**
 * How many statements the return of that many screens may take. SQLite looks up each session and crew member separately;
 * PostgreSQL looks up many at once, how many depends on how fast they come.
 */
const maxStatements: Record<typeof engine, (screens: number) => number> = {
  SQLite: (screens) => 25 + 5 * screens,
  PostgreSQL: (screens) => 60 + 5 * screens,
}
/** Once a second, for all of them together. */
const maxEncodedLists = 5
/** The lists of requests and of messages, the answer, and presence when it becomes known and when it changes. */
const maxFrames = 5

type Cost = { statements: number; encodedLists: number; frames: number }

it(`screens that return share what they read on ${engine}`, async () => {
  const database = await freshDatabase()
  const counter = engine === 'PostgreSQL' ? await startPostgresCounter(database.url) : null
  const server = await startServer(counter?.url ?? database.url, {}, [
    '--import',
    join(import.meta.dirname, '../support/request-counts.ts'),
  ])
  const count = async (): Promise<Pick<Cost, 'statements' | 'encodedLists'>> => {
    const { statements, encodedLists } = (await server.sendMessage('count')) as ServerCounts
    return { statements: counter?.counts().statements ?? statements, encodedLists }
  }
  const stopActing = actAsBrowser()
  const seats = await openSeats(server.url, database.url, {
    restaurants: 1,
    screens: Math.max(...numbersOfScreens) + 1,
  })
  const tap = async (tableNumber: number): Promise<string> => {
    const id = randomUUID()
    const { status } = await post(
      new URL('/api/service-requests', server.url),
      {},
      { id, restaurantId: restaurantName(0), tableNumber: `${tableNumber}`, serviceType: 'check' },
    )
    expect(status).toBe(201)
    return id
  }
  const [witnessSeat, ...otherSeats] = seats
  if (!witnessSeat) throw new Error('No seat')
  const opened: PageScreen[] = []
  const open = (seat: Seat): PageScreen => {
    const screen = new PageScreen(seat)
    opened.push(screen)
    return screen
  }

  /** All lose their connection at once; what `meanwhile` does they learn only when they are back. */
  async function costOfReturn(screens: PageScreen[], meanwhile: () => Promise<void>): Promise<Cost> {
    for (const screen of screens) screen.goOffline()
    await Promise.all(screens.map((screen) => screen.lost()))
    await meanwhile()
    const framesBefore = screens.map(({ traffic }) => traffic.received)
    const before = await count()
    for (const screen of screens) screen.goOnline()
    await Promise.all(screens.map((screen) => screen.whole()))
    const after = await count()
    const frames = screens.map(({ traffic }, index) => traffic.received - (framesBefore[index] ?? 0))
    return {
      statements: after.statements - before.statements,
      encodedLists: after.encodedLists - before.encodedLists,
      frames: Math.max(...frames),
    }
  }

  try {
    const ids: string[] = []
    for (let table = 1; table <= openRequests; table++) ids.push(await tap(table))
    const witness = open(witnessSeat)
    await witness.whole()
    for (const number of numbersOfScreens) {
      const screens = otherSeats.slice(0, number).map(open)
      await Promise.all(screens.map((screen) => screen.whole()))
      // Until all have said that they show the tickets, those change.
      await expect.poll(() => witness.requests.map(({ seen }) => seen)).toEqual(ids.map(() => 1 + number))
      const unchanged = await costOfReturn(screens, async () => {})
      const changed = await costOfReturn(screens, async () => {
        await witness.complete(ids.pop() ?? '')
        // Its answer may come before its event, which a screen that returns in between would receive in place of the list.
        await expect.poll(() => witness.requests.map(({ id }) => id)).toEqual(ids)
      })
      for (const screen of screens) {
        expect(screen.requests.map(({ id }) => id)).toEqual(ids)
        screen.close()
      }
      expect(changed.encodedLists).toBeGreaterThan(0)
      for (const { statements, encodedLists, frames } of [unchanged, changed]) {
        expect(frames).toBeLessThanOrEqual(maxFrames)
        expect(encodedLists).toBeLessThanOrEqual(maxEncodedLists)
        expect(statements).toBeLessThanOrEqual(maxStatements[engine](number))
      }
    }
  } finally {
    for (const screen of opened) screen.close()
    stopActing()
    await server.stop()
    await counter?.stop()
    await database.drop()
  }
})

const onPostgres = engine === 'PostgreSQL' ? [engine] : []
it.for(onPostgres)('%s reads the lists of many restaurants together', async () => {
  const restaurants = 40
  const database = await freshDatabase()
  const counter = await startPostgresCounter(database.url)
  const app = await startTestApp({ databaseUrl: counter.url })
  await openSeats('', database.url, { restaurants, screens: 0 })
  const ids = await app.ctx.db.reader.selectFrom('restaurant').select('id').execute()
  const before = counter.counts()
  await Promise.all(ids.map(({ id }) => listPending(app.ctx, deviceActor(id))))
  const after = counter.counts()
  expect(ids).toHaveLength(restaurants)
  // Only its requests are read for each restaurant by itself.
  expect(after.statements - before.statements).toBeLessThan(2 * restaurants + 20)
  await app.stop()
  await counter.stop()
  await database.drop()
})
