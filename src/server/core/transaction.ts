import { AsyncLocalStorage } from 'node:async_hooks'
import type { Event } from '../ports/bus.ts'
import type { Db, Group } from '../storage/engine/types.ts'
import * as requestEvents from '../storage/requests/request-events.ts'
import type { RequestEvent } from '../storage/requests/request-events.ts'
import * as streams from '../storage/streams.ts'
import type { Announce, Ctx } from './ctx.ts'
import { toGuestMessage } from './guests/redaction.ts'

/** One transaction: what it reads and writes, and what happens when it ends. */
export type Tx = {
  db: Db
  /** Publishes a message to a topic after COMMIT. */
  announce: Announce
  /** Stores an event of a request at the end, in the same round trip as the COMMIT. */
  record: (event: RequestEvent) => void
  /** Stores events of requests now, for a later step of the transaction that reads them. */
  recordAtOnce: (events: readonly RequestEvent[]) => Promise<void>
  /** Runs `work` after COMMIT, and never if the transaction is rolled back. */
  afterCommit: (work: () => void) => void
}

/** What a transaction does at its end. `stored`: what has happened to requests and needs only to be counted. */
type Ending = {
  callbacks: (() => void)[]
  history: RequestEvent[]
  stored: RequestEvent[]
  announced: Announced[]
}

/** `order`: among all writes, because those of one group may take turns. */
type Announced = { event: Event; order: number }
let announcedCount = 0

/** Notices a `read` or a `write` inside of a `write`. */
const writing = new AsyncLocalStorage<true>()

/** For reads outside a transaction: inside one they would miss its own changes. */
export function read(ctx: Ctx): Db {
  if (writing.getStore()) throw new Error('read() inside write(): use the db that write() passes')
  return ctx.db.reader
}

/**
 * Runs `work` in one transaction. After COMMIT the commit listeners get what it announced, in order. The writes of one
 * `group` that wait at the same time may share a COMMIT.
 */
export async function write<T>(
  ctx: Ctx,
  work: (tx: Tx) => Promise<T>,
  options: { group?: Group; lockTimeoutMs?: number } = {},
): Promise<T> {
  if (writing.getStore()) throw new Error('write() inside write()')
  const { result, ending } = await ctx.trace(`write ${options.group?.name ?? 'alone'}`, () =>
    ctx.db.transact(
      (db) => {
        const ending: Ending = { callbacks: [], history: [], stored: [], announced: [] }
        return writing.run(true, async () => ({ result: await work(begin(db, ending)), ending }))
      },
      {
        ...options,
        finish: (db, done) =>
          finish(
            db,
            done.map(({ ending }) => ending),
          ),
      },
    ),
  )
  const events = ending.announced.map(({ event }) => event)
  if (events.length > 0) for (const listener of ctx.commitListeners) listener(events)
  for (const { kind } of [...ending.stored, ...ending.history]) ctx.metrics.happened(kind)
  for (const callback of ending.callbacks) callback()
  return result
}

const begin = (db: Db, { announced, history, stored, callbacks }: Ending): Tx => ({
  db,
  announce: (topic, message) => {
    const event = { topic, message: topic.kind === 'table' ? toGuestMessage(message) : message }
    announced.push({ event, order: ++announcedCount })
  },
  record: (event) => void history.push(event),
  recordAtOnce: async (events) => {
    await requestEvents.append(db, events)
    stored.push(...events)
  },
  afterCommit: (work) => void callbacks.push(work),
})

async function finish(db: Db, endings: readonly Ending[]): Promise<void> {
  const announced = endings.flatMap((ending) => ending.announced).toSorted((a, b) => a.order - b.order)
  const [numbered] = await Promise.all([
    streams.assignSequence(
      db,
      announced.map(({ event }) => event),
    ),
    requestEvents.append(
      db,
      endings.flatMap(({ history }) => history),
    ),
  ])
  announced.forEach((each, index) => {
    each.event = numbered[index] ?? each.event
  })
}
