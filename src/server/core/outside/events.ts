import { type WebhookTopic, webhookTopicNames } from '#contract/outside/webhook-topics.ts'
import { type WebhookMessage } from '#contract/outside/webhooks.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as outsideChannels from '../../storage/outside/outside-channels.ts'
import * as outsideEvents from '../../storage/outside/outside-events.ts'
import type { Found } from '../../storage/outside/outside-events.ts'
import { needLabel, serviceTypeOf } from '../../storage/requests/asked-need.ts'
import * as transitions from '../../storage/requests/request-transitions.ts'
import * as requests from '../../storage/requests/requests.ts'
import { presentTable, type RequestRow } from '../../storage/requests/requests.ts'
import type { Ctx } from '../ctx.ts'
import { read, write } from '../transaction.ts'

type Told = { [T in WebhookMessage['type']]: { type: T; data: DataOf<T> } }[WebhookMessage['type']]
/** Without what all messages have. */
type DataOf<T extends WebhookMessage['type']> = Omit<
  Extract<WebhookMessage, { type: T }>['data'],
  'restaurant' | 'link'
>

/** Stores what webhooks are to be told of since the last look; several nodes may look at the same moment. */
export async function findEvents(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  const lookedUntil = await outsideChannels.findLookedUntil(read(ctx))
  if (lookedUntil === null) return
  let isComplete = true
  for (const topic of webhookTopicNames) {
    const found = await outsideEvents.findNew(read(ctx), topic, now)
    isComplete &&= outsideEvents.areAll(found)
    const events: Parameters<typeof outsideEvents.insert>[1][number][] = []
    for (const each of found) {
      const told = await describe(ctx, topic, each)
      const restaurant = await restaurants.findById(read(ctx), each.restaurantId)
      if (!told || !restaurant) continue
      const { restaurantId, channelId, source, at } = each
      const data = JSON.stringify({ restaurant: restaurant.name, ...told.data })
      events.push({ restaurantId, channelId, source, at, id: ctx.newId(), type: told.type, data, dueAt: now })
    }
    if (events.length === 0) continue
    await write(ctx, async ({ db }) => {
      const undone = topic === 'completions' ? await lockUndone(db, found) : new Set()
      await outsideEvents.insert(
        db,
        events.filter(({ source }) => !undone.has(source)),
      )
    })
  }
  if (isComplete && outsideEvents.isLongAgo(lookedUntil, now))
    await write(ctx, ({ db }) => outsideEvents.markLooked(db, now))
}

/** The sources of completions that are undone by now. With the locks, an undo comes before, or is refused. */
async function lockUndone(db: Db, found: readonly Found[]): Promise<Set<string>> {
  const undone = new Set<string>()
  // In the order of all nodes, so that none waits for another that waits for it.
  const inOrder = found.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))
  for (const { restaurantId, subject, source, at } of inOrder) {
    const request = await transitions.lock(db, restaurantId, subject)
    if (request?.closedAt !== at) undone.add(source)
  }
  return undone
}

/** Null if it is gone meanwhile. */
async function describe(ctx: Ctx, topic: WebhookTopic, found: Found): Promise<Told | null> {
  const { restaurantId, subject } = found
  if (topic === 'listening')
    return { type: subject === '1' ? 'crew.reachable' : 'crew.unreachable', data: {} }
  if (topic === 'visits') {
    const table = await floor.findByNumber(read(ctx), restaurantId, subject)
    return { type: 'visit.started', data: { table: table?.tableNumber ?? subject } }
  }
  const row = await requests.find(read(ctx), restaurantId, subject)
  return row ? describeRequest(topic, row, found.at) : null
}

function describeRequest(
  topic: 'requests' | 'completions' | 'escalations',
  row: RequestRow,
  at: number,
): Told {
  const request = {
    request: row.id,
    table: presentTable(row),
    service: needLabel(row),
    serviceType: serviceTypeOf(row.serviceType),
    askedAt: isoTime(row.createdAt),
  }
  if (topic === 'requests') return { type: 'request.created', data: request }
  if (topic === 'escalations') {
    const alerts = row.level === 2 ? 'manager' : 'all crew'
    return { type: 'request.escalated', data: { ...request, alerts } }
  }
  if (row.closedAs === 'cancelled')
    return { type: 'request.cancelled', data: { ...request, cancelledAt: isoTime(at) } }
  const acceptedAt = row.acceptedAt === null ? null : isoTime(row.acceptedAt)
  return { type: 'request.completed', data: { ...request, acceptedAt, completedAt: isoTime(at) } }
}

const isoTime = (at: number): string => new Date(at).toISOString()
