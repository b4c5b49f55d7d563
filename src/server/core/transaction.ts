import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db, Group } from '../storage/engine/types.ts'
import * as requestEvents from '../storage/request-events.ts'
import type { RequestEvent } from '../storage/request-events.ts'
import * as streams from '../storage/streams.ts'
import { toGuestMessage } from './guests/redaction.ts'
import type { Announce, Ctx, Event } from './ports.ts'

/** What the current transaction does at its end. */
type Ending = { callbacks: (() => void)[]; history: RequestEvent[]; announced: Event[] }

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
  options: { group?: Group } = {},
): Promise<T> {
  if (currentEnding.getStore()) throw new Error('write() inside write()')
  const { result, ending } = await ctx.db.transact(
    (db) => {
      const ending: Ending = { callbacks: [], history: [], announced: [] }
      const announce: Announce = (topic, message) =>
        ending.announced.push({ topic, message: topic.kind === 'table' ? toGuestMessage(message) : message })
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
  )
  if (ending.announced.length > 0) for (const listener of ctx.commitListeners) listener(ending.announced)
  for (const callback of ending.callbacks) callback()
  return result
}

async function finish(db: Db, endings: readonly Ending[]): Promise<void> {
  const [numbered] = await Promise.all([
    streams.assignSequence(
      db,
      endings.flatMap(({ announced }) => announced),
    ),
    requestEvents.append(
      db,
      endings.flatMap(({ history }) => history),
    ),
  ])
  for (const ending of endings) ending.announced = numbered.splice(0, ending.announced.length)
}
