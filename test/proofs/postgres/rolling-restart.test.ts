import { Client } from 'pg'
import { expect, it } from 'vitest'
import { countLostAndDoubled, countWrongLists, startGuests } from '../../../bench/load/guests.ts'
import { actAsBrowser, PageScreen } from '../../../bench/load/page-screen.ts'
import { openSeats } from '../../../bench/load/seats.ts'
import { freshDatabase } from '../../support/database.ts'
import { freePort } from '../../support/ports.ts'
import { startNginx } from '../../support/proxies/nginx.ts'
import { type ServerProcess, startServer } from '../../support/servers/server-process.ts'

const numberOfScreens = 300
const restaurants = 10

it('guests and 300 screens go through a restart of both nodes behind nginx', async () => {
  const database = await freshDatabase()
  const ports = [await freePort(), await freePort()]
  const proxy = await startNginx(ports)
  const nodes = new Map<number, ServerProcess>()
  const start = async (port: number) =>
    void nodes.set(
      port,
      await startServer(database.url, {
        PORT: `${port}`,
        HOST: '127.0.0.1',
        PUBLIC_URL: proxy.url,
        TRUST_PROXY: 'loopback',
      }),
    )
  for (const port of ports) await start(port)
  const stopActing = actAsBrowser()
  const seats = await openSeats(proxy.url, database.url, { restaurants, screens: numberOfScreens })
  const screens = seats.map((seat) => new PageScreen(seat))
  const allWhole = () => Promise.all(screens.map((screen) => screen.whole()))
  const client = new Client(database.url)
  await client.connect()

  try {
    await allWhole()
    // Patient enough for a busy machine: a tap is only sent again if it was refused or lost.
    const guests = startGuests(proxy.url, screens, { restaurants, perSecond: 20, patienceMs: 60_000 })
    for (const port of ports) {
      await nodes.get(port)?.stop()
      await start(port)
      await allWhole()
    }
    guests.pause()
    await expect.poll(() => countWrongLists(client, screens), { interval: 20 }).toBe(0)
    await guests.stop()
    expect(guests.taps.filter(({ tries }) => tries > 1)).toEqual([])
    expect(await countLostAndDoubled(client, guests.taps)).toEqual({ lost: 0, doubled: 0 })
    // Those of the first node went to the second, and some of them back with it.
    const absences = screens.reduce((sum, { absencesMs }) => sum + absencesMs.length, 0)
    expect(absences).toBeGreaterThanOrEqual(numberOfScreens)
    for (const node of nodes.values()) expect(node.lines).toEqual([])
  } finally {
    for (const screen of screens) screen.close()
    stopActing()
    await Promise.all([...nodes.values()].map((node) => node.stop()))
    await proxy.stop()
    await client.end()
    await database.drop()
  }
})
