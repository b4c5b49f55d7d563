import { minuteMs } from '#contract/durations.ts'
import * as sessions from '../../storage/accounts/sessions.ts'
import { bringForward } from '../../storage/due-work.ts'
import { recentSignInMs } from '../accounts/sessions/sessions.ts'
import type { Ctx } from '../ctx.ts'
import { write } from '../transaction.ts'

/** A clock that is kept right by small steps is set back by less, and those of several servers differ by less. */
const minStepMs = minuteMs
/** A call that nobody takes alerts again after less than this, and a push that failed is sent again. */
const longestWaitMs = 2 * minuteMs

/**
 * What waits for a time of the clock from before it was set back would wait for longer than anything does, and is due at
 * once. Only after such a step: a node whose clock is behind the others' would find what they store over and over.
 */
export function bringForwardAfterStep(): (ctx: Ctx) => Promise<void> {
  // It may have been set back while no server ran.
  let last = Infinity
  return async (ctx) => {
    const now = ctx.now()
    if (last - now > minStepMs)
      await write(ctx, async ({ db }) => {
        await bringForward(db, { now, latest: now + longestWaitMs })
        // Else they would count as recent until the clock is there again.
        await sessions.backdateSignIns(db, now + minStepMs, now - recentSignInMs - 1)
      })
    last = now
  }
}
