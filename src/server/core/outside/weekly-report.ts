import type { DayRange, Figures } from '#contract/analytics.ts'
import { minuteMs } from '#contract/durations.ts'
import type { DeliveryOutcome, Mailer } from '../../ports/outbound.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as outsideChannels from '../../storage/outside/outside-channels.ts'
import type { OutsideChannel } from '../../storage/outside/outside-channels.ts'
import type { Ctx } from '../ctx.ts'
import { addDays, localDay } from '../dates.ts'
import { read, write } from '../transaction.ts'
import { reportLines, reportTitle } from './report-text.ts'

/** On Mondays, by the restaurant's clock. */
const reportTime = '07:00'
/** All mails go to the operator's one server. */
const maxAtOnce = 8
/** How long one report may take before another node may send it. */
const leaseMs = 5 * minuteMs
const retryMs = 15 * minuteMs
/** As many as the Management Portal compares times of the week by. */
const paceDays = 28

const mondayOf = (day: string): string => addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek)

/** The last week that has ended, Monday to Sunday. */
const lastWeek = (now: number, timeZone: string): DayRange => {
  const monday = mondayOf(localDay(now, timeZone))
  return { from: addDays(monday, -7), to: addDays(monday, -1) }
}

export function nextReportAt(now: number, timeZone: string): number {
  const monday = mondayOf(localDay(now, timeZone))
  const timeOf = (day: string): number =>
    Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime: reportTime }).epochMilliseconds
  return timeOf(monday) > now ? timeOf(monday) : timeOf(addDays(monday, 7))
}

/** Mails the reports that are due, each by one node. */
export async function sendDueReports(ctx: Ctx): Promise<void> {
  const { mail } = ctx
  if (mail === null) return
  const due = await outsideChannels.listReportsDue(read(ctx), ctx.now(), maxAtOnce)
  const sent = await Promise.allSettled(due.map((channel) => sendReport(ctx, mail, channel)))
  const failed = sent.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

async function sendReport(ctx: Ctx, mail: Mailer, channel: OutsideChannel): Promise<void> {
  const claimed = await write(ctx, ({ db }) => outsideChannels.claimReport(db, channel, ctx.now() + leaseMs))
  if (!claimed) return
  const restaurant = await restaurants.findById(read(ctx), claimed.restaurantId)
  if (!restaurant) return
  const { timeZone } = restaurant
  const now = ctx.now()
  const week = lastWeek(now, timeZone)
  const { reportedWeek } = claimed
  const reportAt = nextReportAt(now, timeZone)
  // Monday comes twice if the owner has set the clock back meanwhile.
  if (reportedWeek !== null && reportedWeek >= week.from) {
    await write(ctx, ({ db }) => outsideChannels.settleReport(db, claimed, { reportAt, reportedWeek }))
    return
  }
  // The same in every attempt, so that a mail server recognizes a repeat.
  const mailId = `${claimed.id}.${week.from}`
  const { problem } = await mailReport(ctx, mail, claimed.address, { mailId, restaurant, week, now })
  if (problem !== null) {
    ctx.metrics.retried('outside')
    ctx.log.warn({ channel: claimed.id, problem }, 'could not mail a weekly report')
  }
  await write(ctx, async ({ db }) => {
    await outsideChannels.settleReport(
      db,
      claimed,
      problem === null
        ? { reportAt, reportedWeek: week.from }
        : { reportAt: ctx.now() + retryMs, reportedWeek },
    )
    await outsideChannels.recordOutcome(db, claimed, { at: ctx.now(), problem })
  })
}

/** Last week's, mailed to an address at once. What comes on Monday stays as it is. */
export function sendReportNow(
  ctx: Ctx,
  mail: Mailer,
  address: string,
  restaurant: restaurants.Restaurant,
): Promise<DeliveryOutcome> {
  const now = ctx.now()
  const week = lastWeek(now, restaurant.timeZone)
  return mailReport(ctx, mail, address, { mailId: ctx.newId(), restaurant, week, now })
}

type Occasion = { mailId: string; restaurant: restaurants.Restaurant; week: DayRange; now: number }

async function mailReport(
  ctx: Ctx,
  mail: Mailer,
  address: string,
  { mailId, restaurant, week, now }: Occasion,
): Promise<DeliveryOutcome> {
  const { id: restaurantId, name, createdAt, timeZone } = restaurant
  const subject = { restaurantId, createdAt, timeZone, today: localDay(now, timeZone), now, scope: null }
  const figuresOf = (range: DayRange): Promise<Figures> =>
    ctx.analytics.figures({ kind: 'figures', subject, range })
  const figures = await figuresOf(week)
  const { pace } = await figuresOf({ from: addDays(week.to, 1 - paceDays), to: week.to })
  const { publicUrl } = ctx.settings
  const text = [
    ...reportLines(name, figures, pace),
    '',
    `With charts, and to print: ${publicUrl}/management-dashboard/report`,
    `The owner chooses who gets this report: ${publicUrl}/admin-dashboard/alerts`,
  ].join('\n')
  return mail.send({ id: mailId, to: address, subject: reportTitle(name, week), text })
}
