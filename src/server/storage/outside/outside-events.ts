import { type RawBuilder, sql } from 'kysely'
import { minuteMs } from '#contract/durations.ts'
import { type WebhookTopic, webhookTopicNames } from '#contract/outside/webhook-topics.ts'
import { undoWindowMs } from '#contract/requests/requests.ts'
import type { Db } from '../engine/types.ts'
import type { RequestRow } from '../requests/requests.ts'
import { hasRow, removeStep, type Step } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { OutsideChannel } from './outside-channels.ts'
import { dueNoLaterThan } from './outside-queue.ts'

export type OutsideEvent = Schema['outsideEvent']
type EventRef = Pick<OutsideEvent, 'restaurantId' | 'id'>
type ChannelRef = Pick<OutsideEvent, 'restaurantId' | 'channelId'>

/** What a webhook is to be told of. However often it is found, its `source` is the same. */
export type Found = Pick<OutsideEvent, 'restaurantId' | 'channelId' | 'source' | 'at'> & {
  /** The id of a request, the key of a table, or 1 where somebody listens and 0 where nobody does. */
  subject: string
}

/** Longer than a transaction takes: what is stored after its time has passed is found too. */
const overlapMs = minuteMs
/** How many events of one topic are found at a time. */
const maxFound = 200
/** How far back at least everything was looked at. */
const progressMs = minuteMs / 2

type Source = {
  /** The table, joined to the webhooks `c`. */
  join: RawBuilder<unknown>
  key: RawBuilder<unknown>
  at: RawBuilder<unknown>
  subject: RawBuilder<unknown>
  /** No longer before: it may still be undone. */
  settledMs?: number
}

const closedRequests: Source = {
  join: sql`service_request s on s.restaurant_id = c.restaurant_id and s.closed_as in ('completed', 'cancelled')`,
  key: sql`'closed ' || s.id || ' ' || s.closed_at`,
  at: sql.ref('s.closed_at'),
  subject: sql.ref('s.id'),
  settledMs: undoWindowMs,
}

/** Each is read by restaurant and time. */
const sources: Record<WebhookTopic, Source> = {
  requests: {
    join: sql`service_request s on s.restaurant_id = c.restaurant_id`,
    key: sql`'created ' || s.id`,
    at: sql.ref('s.created_at'),
    subject: sql.ref('s.id'),
  },
  completions: closedRequests,
  escalations: {
    join: sql`request_event s on s.restaurant_id = c.restaurant_id and s.kind = 'escalated'`,
    key: sql`'escalated ' || s.id`,
    at: sql.ref('s.at'),
    subject: sql.ref('s.request_id'),
  },
  listening: {
    // Nobody is alarmed about one that its owner has deleted.
    join: sql`listening_change s on s.restaurant_id = c.restaurant_id and not exists (
      select 1 from restaurant_ending x where x.restaurant_id = c.restaurant_id and x.kind = 'deleted')`,
    key: sql`'listening ' || s.id`,
    at: sql.ref('s.at'),
    subject: sql`cast(s.listening as text)`,
  },
  visits: {
    join: sql`guest_visit s on s.restaurant_id = c.restaurant_id`,
    key: sql`'visit ' || s.guest_id || ' ' || s.table_key || ' ' || s.started_at`,
    at: sql.ref('s.started_at'),
    subject: sql.ref('s.table_key'),
  },
}

const isStored = (key: RawBuilder<unknown>) => sql<boolean>`exists (
  select 1 from outside_event e
  where e.restaurant_id = c.restaurant_id and e.channel_id = c.id and e.source = ${key})`

/** What the webhooks of all restaurants want to know of and do not know yet. */
export async function findNew(db: Db, topic: WebhookTopic, now: number): Promise<Found[]> {
  const { join, key, at, subject, settledMs } = sources[topic]
  // What lies ahead began before a clock was set back, or follows what did: it is not to wait for that time again.
  const isSettled = settledMs === undefined ? sql.lit(true) : sql`${at} <= ${now - settledMs}`
  const found = await sql<Found>`
    select c.restaurant_id, c.id as channel_id, ${key} as source, ${at} as at, ${subject} as subject
    from outside_channel c join ${join}
    where c.topics is not null and c.topics like ${sql.lit(`%${topic}%`)}
      and ${at} >= c.looked_until - ${sql.lit(overlapMs + (settledMs ?? 0))} and ${isSettled}
      and not ${isStored(key)}
      and not exists (
        select 1 from outside_past_event p
        where p.restaurant_id = c.restaurant_id and p.channel_id = c.id and p.source = ${key})
    order by ${at} limit ${sql.lit(maxFound)}`.execute(db)
  return found.rows
}

/** Of these a webhook is told only what happens from now on, not what lies ahead because the clock was set back. */
export async function passOver(
  db: Db,
  channel: Pick<OutsideChannel, 'restaurantId' | 'id' | 'topics' | 'lookedUntil'>,
  topics: readonly WebhookTopic[],
  now: number,
): Promise<void> {
  const from = channel.topics === null ? lookedUntilAt(now) : Math.min(channel.lookedUntil ?? now, now)
  const isIt = sql`c.restaurant_id = ${channel.restaurantId} and c.id = ${channel.id}`
  for (const topic of topics)
    await insertPast(db, topic, isIt, ({ at, backMs }) => sql`${at} >= ${from - backMs}`)
}

/**
 * Before their looks begin again at a clock that was set back: what lies ahead now, and was gone past or found, stays
 * past. It may lie further ahead than what was told is kept.
 */
export async function passOverLooked(
  db: Db,
  { now, latest }: { now: number; latest: number },
): Promise<void> {
  for (const topic of webhookTopicNames) {
    const wereAhead = sql`c.topics like ${sql.lit(`%${topic}%`)} and c.looked_until > ${latest}`
    await insertPast(
      db,
      topic,
      wereAhead,
      ({ key, at, backMs }) =>
        sql`${at} > ${now} and (${at} < c.looked_until - ${sql.lit(backMs)} or ${isStored(key)})`,
    )
  }
}

async function insertPast(
  db: Db,
  topic: WebhookTopic,
  ofChannels: RawBuilder<unknown>,
  isPast: (event: Pick<Source, 'key' | 'at'> & { backMs: number }) => RawBuilder<unknown>,
): Promise<void> {
  const { join, key, at, settledMs = 0 } = sources[topic]
  await sql`
    insert into outside_past_event (restaurant_id, channel_id, source, at)
    select c.restaurant_id, c.id, ${key}, ${at} from outside_channel c join ${join}
    where ${ofChannels} and ${isPast({ key, at, backMs: overlapMs + settledMs })}
    on conflict (restaurant_id, channel_id, source) do nothing`.execute(db)
}

export const areAll = (found: readonly Found[]): boolean => found.length < maxFound

/** From when on a webhook that is new to this is told. */
export const lookedUntilAt = (now: number): number => now + overlapMs

/** Whether the next look would go back too far. */
export const isLongAgo = (lookedUntil: number, now: number): boolean => lookedUntil < now - progressMs

/** Everything until now was found. */
export async function markLooked(db: Db, now: number): Promise<void> {
  await db
    .updateTable('outsideChannel')
    .set({ lookedUntil: now })
    .where('topics', 'is not', null)
    .where('lookedUntil', '<', now)
    .execute()
}

type NewEvent = Omit<OutsideEvent, 'doneAt' | 'attempts' | 'lastAt' | 'lastProblem'>

/**
 * Leaves out what another node has stored meanwhile, and webhooks that are told nothing any more. What lies ahead, because
 * the clock was set back since, is told as of now, and is past: it is found until the clock is there again, which may be
 * after what was told is removed.
 */
export async function insert(db: Db, events: readonly NewEvent[]): Promise<void> {
  const channels = new Map(events.map((event) => [event.channelId, event]))
  const told = new Set<string>()
  // The channels first: whoever releases one waits, and then sees the event.
  for (const event of [...channels.values()].toSorted((a, b) => (a.channelId < b.channelId ? -1 : 1))) {
    const channel = await makeDue(db, event, event.dueAt)
    if (channel && channel.topics !== null) told.add(event.channelId)
  }
  const wanted = events.filter(({ channelId }) => told.has(channelId))
  if (wanted.length === 0) return
  const untried = { doneAt: null, attempts: 0, lastAt: null, lastProblem: null }
  await db
    .insertInto('outsideEvent')
    .values(wanted.map((event) => ({ ...event, at: Math.min(event.at, event.dueAt), ...untried })))
    .onConflict((c) => c.columns(['restaurantId', 'channelId', 'source']).doNothing())
    .execute()
  const ahead = wanted.filter(({ at, dueAt }) => at > dueAt)
  if (ahead.length === 0) return
  await db
    .insertInto('outsidePastEvent')
    .values(ahead.map(({ restaurantId, channelId, source, at }) => ({ restaurantId, channelId, source, at })))
    .onConflict((c) => c.columns(['restaurantId', 'channelId', 'source']).doNothing())
    .execute()
}

/** Undefined when there is no such channel. */
const makeDue = (
  db: Db,
  { restaurantId, channelId }: ChannelRef,
  dueAt: number,
): Promise<Pick<OutsideChannel, 'topics'> | undefined> =>
  db
    .updateTable('outsideChannel')
    .set(dueNoLaterThan(dueAt))
    .where((e) => e.and({ restaurantId, id: channelId }))
    .returning('topics')
    .executeTakeFirst()

/** Whether a webhook is told that the request was closed then: the source is that of `closedRequests`. */
export const isEndTold = (
  db: Db,
  { restaurantId, id, closedAt }: Pick<RequestRow, 'restaurantId' | 'id' | 'closedAt'>,
): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('outsideChannel')
      .innerJoin('outsideEvent', (j) =>
        j
          .onRef('outsideEvent.restaurantId', '=', 'outsideChannel.restaurantId')
          .onRef('outsideEvent.channelId', '=', 'outsideChannel.id')
          .on('outsideEvent.source', '=', `closed ${id} ${closedAt}`),
      )
      .select('outsideEvent.id')
      .where('outsideChannel.restaurantId', '=', restaurantId),
  )

/** The channel's event that has been due longest. */
export const findDue = (
  db: Db,
  { restaurantId, id: channelId }: Pick<OutsideChannel, 'restaurantId' | 'id'>,
  now: number,
): Promise<OutsideEvent | undefined> =>
  db
    .selectFrom('outsideEvent')
    .selectAll()
    .where((e) => e.and({ restaurantId, channelId }))
    .where('doneAt', 'is', null)
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .limit(1)
    .executeTakeFirst()

/** `retryAt` is null when it arrived, or is tried no longer. */
export async function recordAttempt(
  db: Db,
  { restaurantId, channelId, source, attempts }: OutsideEvent,
  { at, problem, retryAt }: { at: number; problem: string | null; retryAt: number | null },
): Promise<void> {
  await db
    .updateTable('outsideEvent')
    .set({
      attempts: attempts + 1,
      lastAt: at,
      lastProblem: problem,
      ...(retryAt === null ? { doneAt: at } : { dueAt: retryAt }),
    })
    .where((e) => e.and({ restaurantId, channelId, source }))
    .execute()
}

/** Newest first. */
export const list = (
  db: Db,
  { restaurantId, channelId }: ChannelRef,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<OutsideEvent[]> =>
  db
    .selectFrom('outsideEvent')
    .selectAll()
    .where((e) => e.and({ restaurantId, channelId }))
    .$if(before !== undefined, (q) => q.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Undefined when there is no such event. */
export async function sendAgain(
  db: Db,
  { restaurantId, id }: EventRef,
  now: number,
): Promise<OutsideEvent | undefined> {
  const event = await db
    .selectFrom('outsideEvent')
    .select(['restaurantId', 'channelId'])
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirst()
  if (!event) return undefined
  await makeDue(db, event, now)
  return db
    .updateTable('outsideEvent')
    .set({ dueAt: now, doneAt: null, attempts: 0 })
    .where((e) => e.and({ restaurantId, id }))
    .returningAll()
    .executeTakeFirst()
}

/** When nothing is to be told any more. */
export async function removeOpen(db: Db, { restaurantId, channelId }: ChannelRef): Promise<void> {
  await db
    .deleteFrom('outsideEvent')
    .where((e) => e.and({ restaurantId, channelId }))
    .where('doneAt', 'is', null)
    .execute()
}

export const removePast = (db: Db, step: Step): Promise<number> =>
  removeStep(db, 'outsidePastEvent', 'at', step)

export const removeDone = (db: Db, step: Step): Promise<number> =>
  removeStep(db, 'outsideEvent', 'doneAt', step)
