import { setTimeout } from 'node:timers/promises'
import * as restaurants from '../storage/restaurants.ts'
import * as settings from '../storage/settings.ts'
import type { Ctx } from './ports.ts'
import { read, write } from './transaction.ts'

const cacheMs = 2_000
const timeoutMs = 3_000

/** What keeps this node from doing its work right now; looked up once in a while, however often it is asked. */
export function createHealthCheck(ctx: Ctx): () => Promise<string[]> {
  let checked: { at: number; problems: Promise<string[]> } | undefined
  return () => {
    const now = ctx.now()
    if (!checked || now - checked.at >= cacheMs) checked = { at: now, problems: findProblems(ctx) }
    return checked.problems
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

/** One row, always the same, so that the database never grows by it. */
const checkWrite = (ctx: Ctx): Promise<void> =>
  write(ctx, (db) => settings.put(db, 'health-check', String(ctx.now())))

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  const answered = work.then(
    () => true,
    () => false,
  )
  return Promise.race([answered, setTimeout(timeoutMs, false, { ref: false })])
}
