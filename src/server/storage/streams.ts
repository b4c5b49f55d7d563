import { sql } from 'kysely'
import type { ServerMessage } from '#contract/live.ts'
import { defineStatement, isOnly } from './engine/statement.ts'
import type { Db } from './engine/types.ts'
import type { Schema } from './schema.ts'

/**
 * Who receives an event: all staff screens of a restaurant, one crew member's screens, those of its managers and owner,
 * a table's guests, those whose visit there is over, or all guests at a table.
 */
export type Topic =
  | { kind: 'staff'; restaurantId: string }
  | { kind: 'crew'; restaurantId: string; crewMemberId: string }
  | { kind: 'management'; restaurantId: string }
  | { kind: 'table'; restaurantId: string; tableKey: string }
  | { kind: 'ended-visits'; restaurantId: string; tableKey: string }
  | { kind: 'guests'; restaurantId: string }

/** Others have no stream: their events carry the number of the staff's. */
export const hasStream = ({ kind }: Topic): boolean => kind === 'staff' || kind === 'crew'

type Numbered = { topic: Topic; message: ServerMessage; followers?: number }

/**
 * Numbers each event of a stream in the transaction that causes it, so that a gap shows the receiver
 * that an event was missed. Those that follow it have its number, and it tells how many they are.
 */
export async function assignSequence(db: Db, events: readonly Numbered[]): Promise<Numbered[]> {
  const counts = new Map<string, Advance>()
  for (const { topic } of events) {
    if (!hasStream(topic)) continue
    const name = streamName(topic)
    const key = streamKey(topic.restaurantId, name)
    const count = counts.get(key) ?? { restaurantId: topic.restaurantId, name, events: 0 }
    counts.set(key, { ...count, events: count.events + 1 })
  }
  const advanced = await db.runAll(advanceStream, [...counts.values()])
  const numbers = new Map<string, { first: number; last: number }>()
  for (const [index, [key, { events }]] of [...counts].entries()) {
    const row = advanced[index]?.[0]
    if (!row) throw new Error('A stream has no number')
    const before = row.lastSeq - events
    numbers.set(key, { first: before + 1, last: before })
  }
  const leaders = new Map<string, Numbered>()
  const numbered = events.map((event): Numbered => {
    const key = keyOf(event)
    const number = numbers.get(key)
    if (!number) return event
    const advances = hasStream(event.topic)
    // What was announced before any event of the stream follows the first one.
    const seq = advances ? ++number.last : Math.max(number.first, number.last)
    const result = { ...event, message: { ...event.message, seq } }
    if (advances) leaders.set(`${key} ${seq}`, result)
    return result
  })
  for (const event of numbered) {
    const leader = hasStream(event.topic) ? undefined : leaders.get(`${keyOf(event)} ${event.message.seq}`)
    if (leader) leader.followers = (leader.followers ?? 0) + 1
  }
  return numbered
}

const keyOf = ({ topic }: Numbered): string => streamKey(topic.restaurantId, streamName(topic))

type Advance = { restaurantId: string; name: string; events: number }

const advanceStream = defineStatement<Advance, Schema['liveStream']>({
  name: 'advance-stream',
  input: { restaurantId: 'text', name: 'text', events: 'bigint' },
  match: ['restaurantId', 'name'],
  query: (db) =>
    db
      .insertInto('liveStream')
      .columns(['restaurantId', 'name', 'lastSeq'])
      .expression((e) =>
        e.selectFrom('input').select(['restaurantId', 'name', 'events']).where(sql.lit(true)),
      )
      .onConflict((c) =>
        c
          .columns(['restaurantId', 'name'])
          .doUpdateSet((e) => ({ lastSeq: e('liveStream.lastSeq', '+', e.ref('excluded.lastSeq')) })),
      )
      .returning(['restaurantId', 'name', 'lastSeq']),
})

export const streamName = (topic: Topic): string =>
  topic.kind === 'crew' ? `crew:${topic.crewMemberId}` : 'staff'

export async function findLastSequence(db: Db, restaurantId: string, name: string): Promise<number> {
  const [row] = await db.run(lastSequence, { restaurantId, name })
  return row?.lastSeq ?? 0
}

const isInputStream = sql<boolean>`${isOnly('liveStream.restaurantId', 'input.restaurantId')} and live_stream.name = input.name`

const lastSequence = defineStatement<{ restaurantId: string; name: string }, { n: number; lastSeq: number }>({
  name: 'last-sequence',
  input: { restaurantId: 'text', name: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('liveStream', (join) => join.on(isInputStream))
      .select(['input.n', 'lastSeq']),
})

/** A stream as one text, for maps and for one comparison of many streams. */
export const streamKey = (restaurantId: string, name: string): string => `${restaurantId} ${name}`

export function parseStreamKey(key: string): { restaurantId: string; name: string } {
  const [restaurantId = '', name = ''] = key.split(' ')
  return { restaurantId, name }
}

/** Streams by their keys, and the number that each has at the same place. */
export type Positions = { streams: string[]; lastSeqs: number[] }

/** The streams whose last number is higher than the known one. */
export async function listAhead(
  db: Db,
  { streams, lastSeqs }: Positions,
): Promise<{ stream: string; lastSeq: number }[]> {
  const known = streams.map((stream, index) => ({ ...parseStreamKey(stream), known: lastSeqs[index] ?? 0 }))
  const ahead = await db.runAll(numberAhead, known)
  return ahead.flatMap(([row], index) => (row ? { stream: streams[index] ?? '', lastSeq: row.lastSeq } : []))
}

/** Only numbers that are higher: reading those of 10,000 restaurants would block a node. */
const numberAhead = defineStatement<
  { restaurantId: string; name: string; known: number },
  { n: number; lastSeq: number }
>({
  name: 'number-ahead',
  input: { restaurantId: 'text', name: 'text', known: 'bigint' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('liveStream', (join) => join.on(isInputStream))
      .whereRef('liveStream.lastSeq', '>', 'input.known')
      .select(['input.n', 'lastSeq']),
})
