import { secondMs } from '#contract/durations.ts'
import * as requestEvents from '../../storage/requests/request-events.ts'
import type { RequestEvent } from '../../storage/requests/request-events.ts'
import * as transitions from '../../storage/requests/request-transitions.ts'
import { type Actor, eventAttribution } from '../actor.ts'
import type { Ctx } from '../ctx.ts'
import { write } from '../transaction.ts'
import { announceRequest } from './request-events.ts'

/** The events that a browser has shown requests, each of which can be stored only once. */
export const sightingsOf = (
  ctx: Ctx,
  actor: Actor,
  restaurantId: string,
  { ids }: { ids: string[] },
): RequestEvent[] =>
  [...new Set(ids)].map((requestId) => ({
    restaurantId,
    id: `seen:${requestId}:${actor.sessionId ?? ctx.newId()}`,
    requestId,
    at: ctx.now(),
    kind: 'seen',
    ...eventAttribution(actor),
  }))

/** Stores what screens of one restaurant have shown of its open requests. Repeats change nothing. */
export async function storeSightings(
  ctx: Ctx,
  restaurantId: string,
  sightings: readonly RequestEvent[],
): Promise<void> {
  const firstSeen = await write(
    ctx,
    async ({ db, announce }) => {
      const stored = await requestEvents.appendToOpen(db, uniqueById(sightings))
      const seen = [...Map.groupBy(stored, ({ requestId }) => requestId)].map(([id, events]) => ({
        id,
        browsers: events.length,
        at: Math.min(...events.map(({ at }) => at)),
      }))
      const rows = await transitions.addSeen(db, restaurantId, seen)
      // On PostgreSQL one of them may have been closed since.
      for (const row of rows) if (row.closedAt === null) announceRequest(announce, row)
      const added = new Map(seen.map(({ id, browsers }) => [id, browsers]))
      return rows.filter((row) => row.seen === added.get(row.id))
    },
    { group: { name: 'mark-seen', keys: [restaurantId], scope: restaurantId } },
  )
  for (const { createdAt, seenAt } of firstSeen)
    ctx.metrics.tapSeen(Math.max(0, (seenAt ?? createdAt) - createdAt) / secondMs)
}

/** The first of those with the same id, as two tabs of one browser send them. */
const uniqueById = (events: readonly RequestEvent[]): RequestEvent[] => [
  ...new Map(events.toReversed().map((event) => [event.id, event])).values(),
]
