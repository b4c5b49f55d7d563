import type { Ctx } from './ports.ts'
import { climb } from './ladder.ts'
import { endMutes } from './mutes.ts'
import { reconcile, retryEvents } from './payment-inbox.ts'
import { callAgain } from './shift.ts'
import { tidy } from './upkeep.ts'

/** All in milliseconds. */
const alertsMs = 1_000
const eventsMs = 30_000
const tidyMs = 10 * 60_000
const reconcileMs = 60 * 60_000

/** What each node does as time goes by, until the returned function is called. */
export function keepRounds(ctx: Ctx): () => void {
  const timers = [every(ctx, alertsMs, alert), every(ctx, tidyMs, tidy)]
  if (ctx.settings.billing) {
    timers.push(every(ctx, eventsMs, retryEvents), every(ctx, reconcileMs, reconcile))
  }
  return () => timers.forEach((timer) => clearInterval(timer))
}

async function alert(ctx: Ctx): Promise<void> {
  await Promise.all([climb(ctx), callAgain(ctx), endMutes(ctx), ctx.pusher.round()])
}

/** A round that takes long is not overtaken by the next. */
function every(ctx: Ctx, ms: number, work: (ctx: Ctx) => Promise<void>): NodeJS.Timeout {
  let isBusy = false
  return setInterval(() => {
    if (isBusy) return
    isBusy = true
    ctx.background(() =>
      work(ctx).finally(() => {
        isBusy = false
      }),
    )
  }, ms)
}
