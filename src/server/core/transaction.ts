import { AsyncLocalStorage } from 'node:async_hooks'
import type { Event } from '../ports/bus.ts'
import type { Db, Group } from '../storage/engine/types.ts'
import * as requestEvents from '../storage/requests/request-events.ts'
import type { RequestEvent } from '../storage/requests/request-events.ts'
import * as streams from '../storage/streams.ts'
import type { Announce, Ctx } from './ctx.ts'
import { toGuestMessage } from './guests/redaction.ts'

/** What the current transaction does at its end. */
type Ending = { callbacks: (() => void)[]; history: RequestEvent[]; announced: Announced[] }

/** `order`: among all writes, because those of one group may take turns. */
type Announced = { event: Event; order: number }
let announcedCount = 0

const currentEnding = new AsyncLocalStorage<Ending>()

/** For reads outside a transaction: inside one they would miss its own changes. */
export function read(ctx: Ctx): Db {
  if (currentEnding.getStore()) throw new Error('read() inside write(): use the db that write() passes')
  return ctx.db.reader
}

/** Runs `work` once the surrounding `write` has committed, and never if it rolls back. */
export function afterCommit(work: () => void): void {
  const ending = currentEnding.getStore()
  if (!ending) throw new Error('afterCommit() outside write(): call it directly')
  ending.callbacks.push(work)
}

/** Stores an event of a request at the end of the surrounding `write`, in the same round trip as its COMMIT. */
export function appendToHistory(event: RequestEvent): void {
  const ending = currentEnding.getStore()
  if (!ending) throw new Error('appendToHistory() outside write()')
  ending.history.push(event)
}

/**
 * Runs `work` in one transaction. After COMMIT the commit listeners get what it announced, in order. The writes of one
 * `group` that wait at the same time may share a COMMIT.
 */
export async function write<T>(
  ctx: Ctx,
  work: (db: Db, announce: Announce) => Promise<T>,
  options: { group?: Group; lockTimeoutMs?: number } = {},
): Promise<T> {
  if (currentEnding.getStore()) throw new Error('write() inside write()')
  const { result, ending } = await ctx.trace(`write ${options.group?.name ?? 'alone'}`, () =>
    ctx.db.transact(
      (db) => {
        const ending: Ending = { callbacks: [], history: [], announced: [] }
        const announce: Announce = (topic, message) => {
          const event = { topic, message: topic.kind === 'table' ? toGuestMessage(message) : message }
          ending.announced.push({ event, order: ++announcedCount })
        }
        return currentEnding.run(ending, async () => ({ result: await work(db, announce), ending }))
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
  for (const { kind } of ending.history) ctx.metrics.happened(kind)
  for (const callback of ending.callbacks) callback()
  return result
}

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
