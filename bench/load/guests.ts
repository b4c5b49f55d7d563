import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { serviceTypes } from '#contract/requests/requests.ts'
import { type Answer, Outbox, type Tap } from '../../src/client/features/guest/taps/outbox.ts'
import { restaurantName } from '../systems/system-under-test.ts'
import { post } from './http-client.ts'
import type { PageScreen } from './page-screen.ts'

const tables = 40
const completedAfterMs = 5_000
/** As on the page. */
const pagePatienceMs = 10_000
const settleMs = 60_000

export type TapResult = { id: string; tries: number; waitMs: number; answered: boolean }

/** Each guest taps once, with the outbox of the page; a screen of the restaurant completes the request later. */
export function startGuests(
  origin: string,
  screens: PageScreen[],
  {
    restaurants,
    perSecond,
    patienceMs = pagePatienceMs,
  }: {
    restaurants: number
    perSecond: number
    /** After so long without an answer a tap is sent again. */
    patienceMs?: number
  },
) {
  const taps: TapResult[] = []
  const completing = new Set<Promise<void>>()
  let tapped = 0

  function tap(): void {
    const number = tapped++
    const result: TapResult = { id: randomUUID(), tries: 0, waitMs: 0, answered: false }
    taps.push(result)
    const sentAt = performance.now()
    const outbox = new Outbox({
      now: Date.now,
      post: (wanted) => {
        result.tries++
        return postTap(origin, wanted, patienceMs)
      },
      storage: { all: () => [], save: () => {}, remove: () => {} },
      schedule: (ms, task) => {
        const timer = setTimeout(task, ms)
        return () => clearTimeout(timer)
      },
      random: Math.random,
    })
    outbox.subscribe((event) => {
      if (event.type === 'added') return
      if (event.type === 'refused') throw new Error(event.message)
      result.waitMs = performance.now() - sentAt
      result.answered = true
      const completed = complete(number % restaurants, result.id)
      completing.add(completed)
      void completed.finally(() => completing.delete(completed))
    })
    outbox.add({
      id: result.id,
      restaurantId: restaurantName(number % restaurants),
      // No two open requests may be the same, or they would be merged.
      tableNumber: `${(Math.floor(number / restaurants) % tables) + 1}`,
      serviceType: serviceTypes[Math.floor(number / restaurants / tables) % serviceTypes.length] ?? 'check',
      k: null,
      at: Date.now(),
    })
  }

  async function complete(restaurant: number, id: string): Promise<void> {
    await sleep(completedAfterMs)
    await screens[restaurant]?.complete(id).catch(() => {})
  }

  const timer = setInterval(tap, 1000 / perSecond)
  return {
    taps,
    pause: () => clearInterval(timer),
    /** Waits until all taps are answered and completed. */
    async stop(): Promise<void> {
      clearInterval(timer)
      const deadline = Date.now() + settleMs
      while (taps.some(({ answered }) => !answered) && Date.now() < deadline) await sleep(100)
      await Promise.race([Promise.all(completing), sleep(settleMs, undefined, { ref: false })])
    },
  }
}

/** As `browser-outbox.ts` reads the answer. */
async function postTap(
  origin: string,
  { id, restaurantId, tableNumber, serviceType }: Tap,
  patienceMs: number,
): Promise<Answer> {
  const body = { id, restaurantId, tableNumber, serviceType }
  const late = sleep(patienceMs, null, { ref: false })
  const answered = post(new URL('/api/service-requests', origin), { origin }, body).catch(() => null)
  const answer = await Promise.race([answered, late])
  if (answer === null || answer.status >= 500) return { type: 'unreachable' }
  if (answer.status < 300) return { type: 'stored', request: {}, again: answer.status === 200 }
  return { type: 'refused', code: 'invalid', message: `${answer.status} ${answer.body}` }
}

/** How many screens show other requests than the rows say. */
export async function countWrongLists(client: Client, screens: PageScreen[]): Promise<number> {
  const { rows } = await client.query<{ id: string; name: string }>(
    'select q.id, r.name from service_request q join restaurant r on r.id = q.restaurant_id where q.closed_at is null',
  )
  const open = Map.groupBy(rows, ({ name }) => name)
  const listOf = (requests: readonly { id: string }[]) =>
    requests
      .map(({ id }) => id)
      .toSorted()
      .join()
  return screens.filter(
    ({ requests, seat }) => listOf(requests) !== listOf(open.get(seat.restaurantName) ?? []),
  ).length
}

export async function countLostAndDoubled(
  client: Client,
  taps: TapResult[],
): Promise<{ lost: number; doubled: number }> {
  const { rows } = await client.query<{ id: string; asks: number }>('select id, asks from service_request')
  const stored = new Map(rows.map(({ id, asks }) => [id, asks]))
  return {
    lost: taps.filter(({ id }) => !stored.has(id)).length,
    doubled: rows.length - stored.size + [...stored.values()].filter((asks) => asks !== 1).length,
  }
}
