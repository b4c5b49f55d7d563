import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db } from '../storage/engine/types.ts'
import * as streams from '../storage/streams.ts'
import { toGuestMessage } from './guests/redaction.ts'
import type { Announce, Ctx, Event } from './ports.ts'

/** The callbacks of the current transaction. */
const afterCommitQueue = new AsyncLocalStorage<(() => void)[]>()

/** For reads outside a transaction: inside one they would miss its own changes. */
export function read(ctx: Ctx): Db {
  if (afterCommitQueue.getStore()) throw new Error('read() inside write(): use the db that write() passes')
  return ctx.db.reader
}

/** Runs `work` once the surrounding `write` has committed, and never if it rolls back. */
export function afterCommit(work: () => void): void {
  const callbacks = afterCommitQueue.getStore()
  if (!callbacks) throw new Error('afterCommit() outside write(): call it directly')
  callbacks.push(work)
}

/** Runs `work` in one transaction. After COMMIT the commit listeners get what it announced, in order. */
export async function write<T>(ctx: Ctx, work: (db: Db, announce: Announce) => Promise<T>): Promise<T> {
  if (afterCommitQueue.getStore()) throw new Error('write() inside write()')
  const { result, events, callbacks } = await ctx.db.transact((db) => {
    const callbacks: (() => void)[] = []
    return afterCommitQueue.run(callbacks, async () => {
      const announced: Event[] = []
      const result = await work(db, (topic, message) =>
        announced.push({ topic, message: topic.kind === 'table' ? toGuestMessage(message) : message }),
      )
      return { result, events: await streams.assignSequence(db, announced), callbacks }
    })
  })
  if (events.length > 0) for (const listener of ctx.commitListeners) listener(events)
  for (const callback of callbacks) callback()
  return result
}
