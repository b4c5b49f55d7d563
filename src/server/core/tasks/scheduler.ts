import { hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import { reconcileSubscriptions, retryDueEvents } from '../billing/webhook-inbox.ts'
import { repeatUnclaimedCalls } from '../crew/role-calls.ts'
import type { Ctx } from '../ctx.ts'
import { unmuteExpired } from '../floor/muted-tables.ts'
import { fillDueDays } from '../floor/planned-days.ts'
import { sendDueReports } from '../outside/weekly-report.ts'
import { escalateDueRequests } from '../requests/escalation/escalation.ts'
import { moveLateRequests } from '../requests/escalation/late-requests.ts'
import { removeWhatIsTooOld } from '../retention/retention-run.ts'
import { removeExpiredData } from '../retention/retention.ts'

const alertIntervalMs = secondMs
const reportIntervalMs = 5 * secondMs
const paymentRetryIntervalMs = 30 * secondMs
const removalIntervalMs = 10 * secondMs
const patternIntervalMs = minuteMs
const retentionIntervalMs = 10 * minuteMs
const reconcileIntervalMs = hourMs

/** Runs the regular tasks of a node, and `more` each minute, until the returned function is called. */
export function startScheduler(ctx: Ctx, more: readonly ((ctx: Ctx) => Promise<void>)[] = []): () => void {
  const timers = [
    ...more.map((task) => scheduleEvery(ctx, minuteMs, task)),
    scheduleEvery(ctx, alertIntervalMs, runAlerts),
    // These wait for rows that others hold: nobody's alerts wait for them.
    scheduleEvery(ctx, alertIntervalMs, escalateDueRequests),
    scheduleEvery(ctx, alertIntervalMs, moveLateRequests),
    scheduleEvery(ctx, reportIntervalMs, sendDueReports),
    scheduleEvery(ctx, patternIntervalMs, fillDueDays),
    scheduleEvery(ctx, removalIntervalMs, removeWhatIsTooOld),
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
    repeatUnclaimedCalls(ctx),
    unmuteExpired(ctx),
    ctx.pusher.sendDue(),
    ctx.outsideAlerts.sendDue(),
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
