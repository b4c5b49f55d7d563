import { dayMs, minuteMs } from '#contract/durations.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as retention from '../../storage/retention.ts'
import type { RetentionRow } from '../../storage/retention.ts'
import type { Ctx } from '../ctx.ts'
import { addDays, firstInstantOf, localDay } from '../dates.ts'
import { read, write } from '../transaction.ts'

/** By the restaurant's clock: when least is going on. */
const nightTime = '04:00'
/** How long the other nodes wait for one that died. */
const leaseMs = 5 * minuteMs
/** Few enough for a guest's tap to wait a moment at most. A request has a handful of events. */
const requestsPerTransaction = 200
const rowsPerTransaction = 500
/** So that a node can stop; it goes on after ten seconds. */
const transactionsPerRound = 200
/** A completion that may still be undone is not removed. */
const closedForMs = dayMs

/** The next night that begins no sooner than this. */
export function nightAfter(earliest: number, timeZone: string): number {
  const timeOf = (day: string): number =>
    Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime: nightTime }).epochMilliseconds
  const day = localDay(earliest, timeZone)
  return timeOf(day) > earliest ? timeOf(day) : timeOf(addDays(day, 1))
}

type Removed = { requests: number; messages: number; entries: number }

/** Removes in each restaurant what its owner no longer wants to be kept; of several nodes one does it. */
export async function removeWhatIsTooOld(ctx: Ctx): Promise<void> {
  const failures: unknown[] = []
  let left = transactionsPerRound
  for (const restaurantId of await retention.listDue(read(ctx), ctx.now(), transactionsPerRound)) {
    if (left <= 0) break
    try {
      left -= await removeIn(ctx, restaurantId, left)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Returns how many transactions that took. */
async function removeIn(ctx: Ctx, restaurantId: string, atMost: number): Promise<number> {
  const total: Removed = { requests: 0, messages: 0, entries: 0 }
  let [transactions, isDone] = [0, false]
  for (let held: number | null = null; !isDone && transactions < atMost; transactions++) {
    const isLast = transactions + 1 === atMost
    const until = ctx.now() + leaseMs
    const step = await write(ctx, ({ db }) => removeSome(ctx, db, restaurantId, { held, until, isLast }))
    total.requests += step.removed.requests
    total.messages += step.removed.messages
    total.entries += step.removed.entries
    isDone = step.isDone
    held = until
  }
  if (Object.values(total).some((count) => count > 0))
    ctx.log.info({ restaurantId, ...total }, 'removed what a restaurant no longer keeps')
  return transactions
}

type Step = { removed: Removed; isDone: boolean }

async function removeSome(
  ctx: Ctx,
  db: Db,
  restaurantId: string,
  { held, until, isLast }: { held: number | null; until: number; isLast: boolean },
): Promise<Step> {
  const now = ctx.now()
  const row = await retention.lease(db, restaurantId, { now, held, until })
  const restaurant = row && (await restaurants.findById(db, restaurantId))
  if (!restaurant) return { removed: { requests: 0, messages: 0, entries: 0 }, isDone: true }
  const { timeZone } = restaurant
  const limits = limitsOf(row, localDay(now, timeZone), timeZone)
  const { removed, isDone } = await removeUpTo(db, restaurantId, limits, now)
  await retention.settle(db, restaurantId, {
    requestsRemovedBefore: later(row.requestsRemovedBefore, limits.requests),
    messagesRemovedBefore: later(row.messagesRemovedBefore, limits.messages),
    logRemovedBefore: later(row.logRemovedBefore, limits.log),
    undo: null,
    ...(isDone && { runAt: nightAfter(now, timeZone) }),
    leasedUntil: isDone || isLast ? null : until,
  })
  return { removed, isDone }
}

/** The first of the restaurant's days that is kept, and when it began: what is older is removed. */
type Limit = { day: string; at: number } | null
type Limits = { requests: Limit; messages: Limit; log: Limit }

/** One step for a restaurant that ends, of all that grows with its years. True once the rest is little. */
export async function removeEverything(db: Db, restaurantId: string): Promise<boolean> {
  const ever = { day: '9999-12-31', at: Number.MAX_SAFE_INTEGER }
  const { isDone } = await removeUpTo(
    db,
    restaurantId,
    { requests: ever, messages: ever, log: ever },
    ever.at,
  )
  return isDone
}

async function removeUpTo(db: Db, restaurantId: string, limits: Limits, now: number): Promise<Step> {
  const requests = await removeRequests(db, restaurantId, limits.requests, now)
  const messages = await removeMessages(db, restaurantId, limits.messages)
  const entries = limits.log
    ? await retention.removeEntries(db, restaurantId, { before: limits.log.at, limit: rowsPerTransaction })
    : 0
  return {
    removed: { requests: requests.count, messages: messages.count, entries },
    isDone: !requests.isFull && !messages.isFull && entries < rowsPerTransaction,
  }
}

function limitsOf(row: RetentionRow, today: string, timeZone: string): Limits {
  const limitOf = (days: number | null): Limit => {
    if (days === null) return null
    const day = addDays(today, -days)
    return { day, at: firstInstantOf(day, timeZone) }
  }
  return {
    requests: limitOf(row.requestDays),
    messages: limitOf(row.messageDays),
    log: limitOf(row.logDays),
  }
}

const later = (removed: number | null, limit: Limit): number | null =>
  limit === null ? removed : Math.max(removed ?? 0, limit.at)

type Part = { count: number; isFull: boolean }

/** With all that figures of these days are computed from. */
async function removeRequests(db: Db, restaurantId: string, limit: Limit, now: number): Promise<Part> {
  if (limit === null) return { count: 0, isFull: false }
  const count = await retention.removeRequests(db, restaurantId, {
    before: limit.at,
    closedBefore: now - closedForMs,
    limit: requestsPerTransaction,
  })
  const span = { before: limit.at, day: limit.day, limit: rowsPerTransaction }
  const others = [
    await retention.removeListening(db, restaurantId, span),
    await retention.removeAssignments(db, restaurantId, span),
  ]
  return {
    count,
    isFull: count >= requestsPerTransaction || others.some((removed) => removed >= rowsPerTransaction),
  }
}

async function removeMessages(db: Db, restaurantId: string, limit: Limit): Promise<Part> {
  if (limit === null) return { count: 0, isFull: false }
  const span = { before: limit.at, limit: rowsPerTransaction }
  const messages = await retention.removeMessages(db, restaurantId, span)
  const calls = await retention.removeCalls(db, restaurantId, span)
  return {
    count: messages + calls,
    isFull: messages >= rowsPerTransaction || calls >= rowsPerTransaction,
  }
}
