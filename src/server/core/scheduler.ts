import { hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import type { Ctx } from './ports.ts'
import { escalateDueRequests } from './requests/escalation.ts'
import { unmuteExpired } from './floor/muted-tables.ts'
import { reconcileSubscriptions, retryDueEvents } from './billing/webhook-inbox.ts'
import { repeatUnclaimedCalls } from './crew/role-calls.ts'
import { removeExpiredData } from './retention.ts'

/** All in milliseconds. */
const alertIntervalMs = secondMs
const paymentRetryIntervalMs = 30 * secondMs
const retentionIntervalMs = 10 * minuteMs
const reconcileIntervalMs = hourMs

/** What each node does as time goes by, until the returned function is called. */
export function startScheduler(ctx: Ctx): () => void {
  const timers = [
    scheduleEvery(ctx, alertIntervalMs, runAlerts),
    scheduleEvery(ctx, retentionIntervalMs, removeExpiredData),
  ]
  if (ctx.settings.billing) {
    timers.push(
      scheduleEvery(ctx, paymentRetryIntervalMs, retryDueEvents),
      scheduleEvery(ctx, reconcileIntervalMs, reconcileSubscriptions),
    )
  }
  return () => timers.forEach((timer) => clearInterval(timer))
}

async function runAlerts(ctx: Ctx): Promise<void> {
  await Promise.all([
    escalateDueRequests(ctx),
    repeatUnclaimedCalls(ctx),
    unmuteExpired(ctx),
    ctx.pusher.sendDue(),
  ])
}

/** A round that takes long is not overtaken by the next. */
function scheduleEvery(ctx: Ctx, ms: number, work: (ctx: Ctx) => Promise<void>): NodeJS.Timeout {
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
