import { hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import type { Ctx } from './ports.ts'
import { escalateDueRequests } from './requests/escalation.ts'
import { unmuteExpired } from './floor/muted-tables.ts'
import { reconcileSubscriptions, retryDueEvents } from './billing/webhook-inbox.ts'
import { repeatUnclaimedCalls } from './crew/role-calls.ts'
import { removeExpiredData } from './retention.ts'

const alertIntervalMs = secondMs
const paymentRetryIntervalMs = 30 * secondMs
const retentionIntervalMs = 10 * minuteMs
const reconcileIntervalMs = hourMs

/** Runs the regular tasks of a node until the returned function is called. */
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

/** Skips a run while the last one is still going on. */
function scheduleEvery(ctx: Ctx, intervalMs: number, task: (ctx: Ctx) => Promise<void>): NodeJS.Timeout {
  let isRunning = false
  return setInterval(() => {
    if (isRunning) return
    isRunning = true
    ctx.background(() =>
      task(ctx).finally(() => {
        isRunning = false
      }),
    )
  }, intervalMs)
}
