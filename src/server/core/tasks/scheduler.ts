import { hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import { type DueWork, findDueWork } from '../../storage/due-work.ts'
import { reconcileSubscriptions, retryDueEvents } from '../billing/webhook-inbox.ts'
import { repeatUnclaimedCalls } from '../crew/role-calls.ts'
import type { Ctx } from '../ctx.ts'
import { unmuteExpired } from '../floor/muted-tables.ts'
import { fillDueDays } from '../floor/planned-days.ts'
import { pushDueNotes } from '../guests/manager-notes.ts'
import { pushDueMessages } from '../messages/message-pushes.ts'
import { sendDueReports } from '../outside/weekly-report.ts'
import { escalateDueRequests } from '../requests/escalation/escalation.ts'
import { escalateByFormerClock } from '../requests/escalation/former-clock.ts'
import { moveLateRequests } from '../requests/escalation/late-requests.ts'
import { removeWhatIsTooOld } from '../retention/retention-run.ts'
import { removeExpiredDataIfDue } from '../retention/retention.ts'
import { read } from '../transaction.ts'
import { bringForwardAfterStep } from './set-back-clock.ts'

const alertIntervalMs = secondMs
const reportIntervalMs = 5 * secondMs
const paymentRetryIntervalMs = 30 * secondMs
const removalIntervalMs = 10 * secondMs
const patternIntervalMs = minuteMs
const reconcileIntervalMs = hourMs

type Task = (ctx: Ctx) => Promise<void>

/** Each second, if some of their work may be due. Nobody's alerts wait for those that wait for rows that others hold. */
const alertTasks: { task: Task; work?: (keyof DueWork)[] }[] = [
  { task: escalateDueRequests, work: ['requestSteps', 'expiredAcceptances'] },
  { task: moveLateRequests, work: ['lateTaps'] },
  { task: repeatUnclaimedCalls, work: ['roleCalls'] },
  { task: unmuteExpired, work: ['mutedTables'] },
  { task: pushDueMessages, work: ['messagePushes'] },
  { task: pushDueNotes, work: ['notePushes'] },
  {
    task: ({ pusher }) => pusher.sendDue(),
    work: ['unpushedRequests', 'outdatedPushes', 'deliveries'],
  },
  { task: ({ outsideAlerts }) => outsideAlerts.sendDue(), work: ['outsideChannels', 'webhooks'] },
]

/** Runs the regular tasks of a node, and `more` each minute, until the returned function is called. */
export function startScheduler(ctx: Ctx, more: readonly Task[] = []): () => void {
  const timers = [
    ...more.map((task) => scheduleEvery(ctx, minuteMs, task)),
    scheduleEvery(ctx, alertIntervalMs, prepareAlerts(ctx)),
    scheduleEvery(ctx, reportIntervalMs, sendDueReports),
    scheduleEvery(ctx, patternIntervalMs, fillDueDays),
    scheduleEvery(ctx, removalIntervalMs, removeWhatIsTooOld),
    scheduleEvery(ctx, minuteMs, removeExpiredDataIfDue),
  ]
  if (ctx.settings.billing) {
    timers.push(
      scheduleEvery(ctx, paymentRetryIntervalMs, retryDueEvents),
      scheduleEvery(ctx, reconcileIntervalMs, reconcileSubscriptions),
    )
  }
  return () => timers.forEach((timer) => clearInterval(timer))
}

/** Starts each task of which something is due, and does not wait for it. */
function prepareAlerts(ctx: Ctx): Task {
  const afterClocks = [bringForwardAfterStep(), escalateByFormerClock()].map((task) => ({ task }))
  const all: typeof alertTasks = [...alertTasks, ...afterClocks]
  const tasks = all.map(({ task, work }) => ({ start: skipWhileRunning(ctx, task), work }))
  return async () => {
    const due = await findDueWork(read(ctx), ctx.now())
    for (const { start, work } of tasks) {
      const isIdle = work?.every((kind) => due[kind] === null) ?? false
      if (!isIdle) start()
    }
  }
}

const scheduleEvery = (ctx: Ctx, intervalMs: number, task: Task): NodeJS.Timeout =>
  setInterval(skipWhileRunning(ctx, task), intervalMs)

/** Runs the task in the background, unless its last run is still going on. */
function skipWhileRunning(ctx: Ctx, task: Task): () => void {
  let isRunning = false
  return () => {
    if (isRunning) return
    isRunning = true
    ctx.background(() =>
      task(ctx).finally(() => {
        isRunning = false
      }),
    )
  }
}
