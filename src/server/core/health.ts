import { setTimeout } from 'node:timers/promises'
import * as restaurants from '../storage/accounts/restaurants.ts'
import * as settings from '../storage/settings.ts'
import type { Ctx } from './ctx.ts'
import { read, write } from './transaction.ts'

const cacheMs = 2_000
const timeoutMs = 3_000

/** Finds what keeps this node from working right now. The result is cached for a moment. */
export function createHealthCheck(ctx: Ctx, isStopping: () => boolean): () => Promise<string[]> {
  let cached: { at: number; problems: Promise<string[]> } | undefined
  return async () => {
    if (isStopping()) return ['This node is stopping']
    const now = ctx.now()
    // Also after the clock was set back.
    if (!cached || Math.abs(now - cached.at) >= cacheMs) cached = { at: now, problems: findProblems(ctx) }
    return cached.problems
  }
}

async function findProblems(ctx: Ctx): Promise<string[]> {
  const [reads, writes, bus] = await Promise.all([
    succeeds(restaurants.exists(read(ctx))),
    succeeds(checkWrite(ctx)),
    ctx.bus.ready(),
  ])
  return [
    ...(reads ? [] : ['The database does not answer']),
    ...(writes ? [] : ['The database takes no writes']),
    ...(bus ? [] : ['The bus does not answer']),
  ]
}

/** Always writes the same row, so that the database does not grow. */
const checkWrite = (ctx: Ctx): Promise<void> =>
  write(ctx, ({ db }) => settings.put(db, 'health-check', String(ctx.now())))

async function succeeds(task: Promise<unknown>): Promise<boolean> {
  const succeeded = task.then(
    () => true,
    () => false,
  )
  return Promise.race([succeeded, setTimeout(timeoutMs, false, { ref: false })])
}
