import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/ports.ts'
import { startServer } from '../../test/support/servers/server-process.ts'
import type { Stops } from '../drills/drill.ts'
import { startGuests, type TapResult } from '../load/guests.ts'
import { PageScreen } from '../load/page-screen.ts'
import { openSeats } from '../load/seats.ts'
import { percentile } from '../load/statistics.ts'

export const busyRestaurants = 20
const screenCount = 100
const perSecond = 50

export type BusyServer = Awaited<ReturnType<typeof startBusyServer>>

/**
 * A server with restaurants that get 50 requests per second, each completed on one of 100 screens. `more` are other
 * restaurants, in which nothing happens.
 */
export async function startBusyServer(
  databaseUrl: string,
  stops: Stops,
  { more = 0, prepare = async () => {} }: { more?: number; prepare?: () => Promise<void> } = {},
) {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const server = await startServer(databaseUrl, { PORT: `${port}`, HOST: 'localhost', PUBLIC_URL: origin })
  stops.push(() => server.stop())
  const numbers = { restaurants: busyRestaurants + more, staffed: busyRestaurants, screens: screenCount }
  const seats = await openSeats(origin, databaseUrl, numbers)
  await prepare()
  const screens = seats.map((seat) => new PageScreen(seat))
  await Promise.all(screens.map((screen) => screen.whole()))
  const guests = startGuests(origin, screens, { restaurants: busyRestaurants, perSecond })
  return {
    server,
    origin,
    taps: guests.taps,
    /** Runs the work, and returns how long it took and what was tapped meanwhile, once that is answered. */
    async during<T>(work: () => Promise<T>) {
      const from = guests.taps.length
      const start = performance.now()
      const result = await work()
      const ms = performance.now() - start
      const taps = guests.taps.slice(from)
      while (taps.some(({ answered }) => !answered)) await sleep(50)
      return { result, ms, taps }
    },
    async stopGuests(): Promise<void> {
      await guests.stop()
      for (const screen of screens) screen.close()
    },
  }
}

export const waits = (taps: readonly TapResult[]) => {
  const times = taps.map(({ waitMs }) => waitMs)
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), longest: Math.max(...times) }
}
