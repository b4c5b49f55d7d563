import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { openSql } from '../../bench/load/bulk-sql.ts'
import { post } from '../../bench/load/http-client.ts'
import { actAsBrowser, PageScreen } from '../../bench/load/page-screen.ts'
import { openSeats } from '../../bench/load/seats.ts'
import { restaurantName } from '../../bench/systems/system-under-test.ts'
import { freshDatabase } from '../support/database.ts'
import { startServer } from '../support/servers/server-process.ts'

const engine = process.env['TEST_DATABASE_URL'] ? 'PostgreSQL' : 'SQLite'
/** On PostgreSQL two nodes, so that half of what a screen is sent comes over the bus. */
const nodes = engine === 'PostgreSQL' ? 2 : 1
const numberOfScreens = 300
const restaurants = 3
const rounds = 4

it(`300 screens that come and go all have the stored requests in the end, on ${engine}`, async () => {
  const database = await freshDatabase()
  const servers = await Promise.all(Array.from({ length: nodes }, () => startServer(database.url)))
  const stopActing = actAsBrowser()
  const seats = await openSeats(servers[0]?.url ?? '', database.url, {
    restaurants,
    screens: numberOfScreens,
  })
  const screens = seats.map(
    (seat, index) => new PageScreen({ ...seat, origin: servers[index % nodes]?.url ?? '' }),
  )
  const isStaying = (_: unknown, index: number): boolean => index >= rounds * 2
  const staying = screens.filter(isStaying)
  const open = new Map<string, number>()
  let taps = 0

  const tap = async (): Promise<void> => {
    const [id, number] = [randomUUID(), taps++]
    const restaurant = number % restaurants
    const { status } = await post(
      new URL('/api/service-requests', servers[number % nodes]?.url),
      {},
      { id, restaurantId: restaurantName(restaurant), tableNumber: `${number + 1}`, serviceType: 'check' },
    )
    expect(status).toBe(201)
    open.set(id, restaurant)
  }
  /** By a screen that may have no connection just now. */
  const complete = async (): Promise<void> => {
    const [id, restaurant] = [...open][0] ?? ['', 0]
    open.delete(id)
    await staying.find(({ seat }) => seat.restaurantName === restaurantName(restaurant))?.complete(id)
  }
  const signOut = async ({ seat }: PageScreen): Promise<void> => {
    const answer = await fetch(new URL('/api/logout', seat.origin), {
      headers: { cookie: seat.cookie },
      redirect: 'manual',
    })
    expect(answer.status).toBe(302)
  }

  try {
    await Promise.all(screens.map((screen) => screen.whole()))
    for (let round = 0; round < rounds; round++) {
      const returning = screens.filter((screen, index) => !screen.isSignedOut && index % rounds !== round)
      const [before, after] = screens.slice(round * 2, round * 2 + 2)
      if (!before || !after) throw new Error('No screens left')
      for (const screen of [...returning, before, after]) screen.drop()
      await Promise.all([...returning, before, after].map((screen) => screen.lost()))
      // The login of one ends while it is away, that of another while all return.
      await Promise.all([signOut(before), tap(), tap(), tap()])
      for (const screen of screens) screen.goOnline()
      await Promise.all([signOut(after), tap(), tap(), complete(), complete(), tap()])
      await Promise.all(staying.map((screen) => screen.whole()))
      const shown = [before, after].map(({ requests }) => requests.length)
      await expect.poll(() => [before.isSignedOut, after.isSignedOut]).toEqual([true, true])
      const received = [before, after].map(({ traffic }) => traffic.received)
      await tap()
      for (const screen of staying) await expect.poll(() => idsOf(screen)).toEqual(openIn(screen))
      expect([before, after].map(({ traffic }) => traffic.received)).toEqual(received)
      expect([before, after].map(({ requests }) => requests.length)).toEqual(shown)
    }
    for (const server of servers) expect(server.lines).toEqual([])
    const sql = await openSql(database.url)
    const stored = await sql.ids('select id from service_request where closed_at is null')
    await sql.close()
    expect(stored.toSorted()).toEqual([...open.keys()].toSorted())
  } finally {
    for (const screen of screens) screen.close()
    stopActing()
    await Promise.all(servers.map((server) => server.stop()))
    await database.drop()
  }

  function openIn({ seat }: PageScreen): string[] {
    const ids = [...open].filter(([, restaurant]) => restaurantName(restaurant) === seat.restaurantName)
    return ids.map(([id]) => id).toSorted()
  }
})

const idsOf = ({ requests }: PageScreen): string[] => requests.map(({ id }) => id).toSorted()
