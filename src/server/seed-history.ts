import type { CrewMember } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import { type PlannedRequest, planHistory } from './core/accounts/demo/demo-history.ts'
import { type Actor, anonymousActor } from './core/actor.ts'
import type { Ctx } from './core/ctx.ts'
import * as crewRequests from './core/requests/crew-requests.ts'
import * as requests from './core/requests/requests.ts'
import { storeSightings } from './core/requests/sightings.ts'

export type DemoRestaurant = {
  name: string
  owner: Actor
  tables: Table[]
  servers: CrewMember[]
  timeZone: string
}

type PastRequest = Omit<PlannedRequest, 'table'> & { tableNumber: string; by: CrewMember }

/** How often each table asks, in the order of `tables`; the two on the patio are slow. */
const habits = { shares: [3, 2, 2, 3, 2, 2, 2, 1, 1, 1, 2, 2], slowTables: 2 }

export async function writeHistory(ctx: Ctx, demo: DemoRestaurant): Promise<void> {
  const { tables, servers, timeZone } = demo
  const planned = planHistory(ctx.now(), timeZone, habits)
  // Requests of one table in sequence, different tables in parallel.
  await Promise.all(
    tables.map(async ({ tableNumber }, index) => {
      const by = serverOf(servers, index % assignedTables)
      for (const { table, ...request } of planned)
        if (table === index) await replayRequest(ctx, demo, { ...request, tableNumber, by })
    }),
  )
}

/** How many of the tables are assigned, two to each server. */
export const assignedTables = 8

export const serverOf = (servers: CrewMember[], tableIndex: number): CrewMember =>
  itemAt(servers, Math.floor(tableIndex / 2))

/** Replays a past request through the operations, with the clock set to that time. */
async function replayRequest(
  ctx: Ctx,
  { name, owner }: DemoRestaurant,
  { tableNumber, serviceType, createdAt, by, ...times }: PastRequest,
): Promise<void> {
  const ctxAt = (after: number): Ctx => ({
    ...ctx,
    now: () => createdAt + after,
    // At once, since no other screen shows it.
    sightings: { add: (restaurantId, sightings) => storeSightings(ctx, restaurantId, sightings) },
    settings: { ...ctx.settings, guestLimits: false },
  })
  const server: Actor = { ...owner, crewMember: by }
  const ask = (after: number) =>
    requests.send(ctxAt(after), anonymousActor(), { restaurantId: name, tableNumber, serviceType })
  const { request } = await ask(0)
  await crewRequests.markSeen(ctxAt(times.seenMs), server, { ids: [request.id] })
  if (times.askedAgainMs !== null) await ask(times.askedAgainMs)
  await crewRequests.accept(ctxAt(times.responseMs), server, request)
  await crewRequests.complete(ctxAt(times.completedMs), server, request)
}

function itemAt<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`nothing at ${index}`)
  return item
}
