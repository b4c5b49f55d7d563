import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerMessage } from '#contract/live.ts'
import type { Db } from '../storage/engine/types.ts'
import * as streams from '../storage/streams.ts'
import { toGuestMessage } from './guests/redaction.ts'
import type { Ctx, Event } from './ports.ts'
import type { Topic } from './topics.ts'

/** The callbacks of the transaction that is running. */
const afterCommitQueue = new AsyncLocalStorage<(() => void)[]>()

/** The database outside a transaction. Inside one it would miss the transaction's own changes. */
export function read(ctx: Ctx): Db {
  if (afterCommitQueue.getStore()) throw new Error('read() inside write(): use the db that write() passes')
  return ctx.db.reader
}

export type Announce = (topic: Topic, message: ServerMessage) => void

/** Runs `work` once the surrounding `write` has committed, and never if it rolls back. */
export function afterCommit(work: () => void): void {
  const callbacks = afterCommitQueue.getStore()
  if (!callbacks) throw new Error('afterCommit() outside write(): just do it')
  callbacks.push(work)
}

/** Runs `work` in one transaction, and tells the commit listeners what it announced, in order, after COMMIT. */
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
