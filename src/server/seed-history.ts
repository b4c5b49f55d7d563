import type { CrewMember } from '#contract/crew.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import type { Table } from '#contract/floor.ts'
import { type ServiceType, serviceTypes } from '#contract/requests.ts'
import { type Actor, anonymousActor } from './core/actor.ts'
import type { Ctx } from './core/ports.ts'
import * as crewRequests from './core/requests/crew-requests.ts'
import * as requests from './core/requests/requests.ts'

export type DemoRestaurant = {
  name: string
  owner: Actor
  tables: Table[]
  servers: CrewMember[]
  timeZone: string
}

/** The server's own zone, unless the day there is too young for a day's history. */
export function chooseTimeZone(now: number): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (now - startOfDay(now, own) >= 3 * hourMs) return own
  const utcHour = new Date(now).getUTCHours()
  // The signs of these zones are reversed: Etc/GMT-9 is nine hours ahead.
  const ahead = 20 - utcHour
  return ahead >= 0 ? `Etc/GMT-${Math.min(ahead, 14)}` : `Etc/GMT+${-ahead}`
}

/** When the current day began in this time zone. */
const startOfDay = (at: number, timeZone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).startOfDay().epochMilliseconds

type PastRequest = {
  tableNumber: string
  serviceType: ServiceType
  createdAt: number
  responseMs: number
  by: CrewMember
}

export async function writeHistory(ctx: Ctx, demo: DemoRestaurant): Promise<void> {
  const { tables, servers, timeZone } = demo
  const past = pastRequests(ctx.now(), timeZone).map(({ createdAt, responseMs }, index): PastRequest => {
    const tableIndex = rotatedIndex(index, tables.length)
    return {
      createdAt,
      responseMs,
      tableNumber: itemAt(tables, tableIndex).tableNumber,
      serviceType: itemAt(serviceTypes, rotatedIndex(index, serviceTypes.length)),
      by: serverOf(servers, tableIndex % assignedTables),
    }
  })
  // Requests of one table in sequence, different tables in parallel.
  await Promise.all(
    tables.map(async ({ tableNumber }) => {
      for (const request of past)
        if (request.tableNumber === tableNumber) await replayRequest(ctx, demo, request)
    }),
  )
}

/** How many of the tables are assigned, two to each server. */
export const assignedTables = 8

export const serverOf = (servers: CrewMember[], tableIndex: number): CrewMember =>
  itemAt(servers, Math.floor(tableIndex / 2))

/** Round-robin, with each round starting one later, so that nobody always gets every second request. */
const rotatedIndex = (index: number, of: number): number => (index + Math.floor(index / of)) % of

/** Requests per day: first the week before last, to compare this week with, then the week that today is compared with. */
const requestsPerPastDay = [19, 21, 20, 22, 18, 23, 20, 21, 22, 21, 22, 21, 22, 21]
export const historyDays = requestsPerPastDay.length

function pastRequests(now: number, timeZone: string): { createdAt: number; responseMs: number }[] {
  const midnight = startOfDay(now, timeZone)
  const before = requestsPerPastDay.flatMap((count, index) => {
    const noon = midnight - (historyDays - index) * dayMs + 12 * hourMs
    return spreadRequests(count, noon, noon + 10 * hourMs, 163)
  })
  const newest = now - 15 * minuteMs
  return [...before, ...spreadRequests(24, Math.max(midnight + minuteMs, newest - 10 * hourMs), newest, 150)]
}

/**
 * Spreads requests evenly between two instants. Half of them are answered quickly and half slowly, with exactly this
 * mean in seconds.
 */
function spreadRequests(count: number, from: number, to: number, meanSeconds: number) {
  return Array.from({ length: count }, (_, index) => {
    const paired = index < count - (count % 2)
    const offset = paired ? (index % 2 === 0 ? 1 : -1) * (60 + 9 * (Math.floor(index / 2) % 8)) : 0
    return {
      createdAt: Math.floor(from + ((to - from) * index) / count),
      responseMs: (meanSeconds + offset) * secondMs,
    }
  })
}

/** Replays a past request through the operations, with the clock set to that time. */
async function replayRequest(
  ctx: Ctx,
  { name, owner }: DemoRestaurant,
  { createdAt, responseMs, by, ...need }: PastRequest,
): Promise<void> {
  const ctxAt = (after: number): Ctx => ({
    ...ctx,
    now: () => createdAt + after,
    settings: { ...ctx.settings, guestLimits: false },
  })
  const server: Actor = { ...owner, crewMember: by }
  const { request } = await requests.send(ctxAt(0), anonymousActor(), {
    restaurantId: name,
    ...need,
  })
  await crewRequests.markSeen(ctxAt(4_000), server, { ids: [request.id] })
  await crewRequests.accept(ctxAt(responseMs), server, request)
  await crewRequests.complete(ctxAt(responseMs + 90_000), server, request)
}

function itemAt<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`nothing at ${index}`)
  return item
}
