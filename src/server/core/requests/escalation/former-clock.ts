import { minuteMs } from '#contract/durations.ts'
import * as escalation from '../../../storage/requests/escalation.ts'
import type { Ctx } from '../../ctx.ts'
import { read } from '../../transaction.ts'
import { takeDueSteps } from './escalation.ts'

const batchSize = 200
/** A clock that is kept right by small steps is set back by less, and those of several servers differ by less. */
const minStepMs = minuteMs

/** What a clock said before it was set back: at last, and by now. */
type FormerClock = { end: number; now: number }

/**
 * Requests that were made before the server's clock was set back alert more people when they would have: by what is
 * stored, that is later by as much as the clock has gone back.
 */
export function escalateByFormerClock(): (ctx: Ctx) => Promise<void> {
  let readFormer: (() => FormerClock | null) | undefined
  return async (ctx) => {
    // It may have been set back while no server ran.
    readFormer ??= watchClock(ctx, await escalation.findLatestWaiting(read(ctx), ctx.now()))
    const former = readFormer()
    if (former === null) return
    const { end, now: until } = former
    const times = { after: end - minStepMs, until, now: ctx.now() }
    await takeDueSteps(ctx, await escalation.listDueByFormerClock(read(ctx), times, batchSize))
  }
}

/** Null unless the clock has been set back since, and until it has caught up. `latest`: a time that it has shown. */
function watchClock(ctx: Ctx, latest: number | null): () => FormerClock | null {
  let last = latest ?? 0
  let former: { end: number; aheadMs: number } | null = null
  return () => {
    const now = ctx.now()
    const stepMs = last - now
    if (stepMs > minStepMs) {
      former = { end: Math.max(last, former?.end ?? 0), aheadMs: stepMs + (former?.aheadMs ?? 0) }
      ctx.log.warn({ ms: stepMs }, 'the clock was set back')
    }
    last = now
    if (former !== null && now >= former.end) former = null
    return former && { end: former.end, now: now + former.aheadMs }
  }
}
