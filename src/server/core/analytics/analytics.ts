import type { DayRange, DoneToday, ExpectedTimes, Figures, Overview } from '#contract/analytics.ts'
import type { Operation } from '#contract/permissions.ts'
import type { AnalyticsContext } from '../../ports/analytics.ts'
import { restaurantOf } from '../accounts/restaurants/restaurants.ts'
import type { Actor } from '../actor.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { addDays, firstInstantOf, localDay } from '../dates.ts'
import { forbidden } from '../errors.ts'
import { read } from '../transaction.ts'

/** Nobody is ranked: the management sees sections adjusted for their load, crew members only their own figures. */
export async function figures(ctx: Ctx, actor: Actor, range: DayRange): Promise<Figures> {
  const { subject } = await loadContext(ctx, actor, 'analytics.figures')
  return ctx.analytics.figures({ kind: 'figures', subject, range })
}

export async function overview(ctx: Ctx, actor: Actor): Promise<Overview> {
  const { subject } = await loadContext(ctx, actor, 'analytics.overview')
  return ctx.analytics.overview({ kind: 'overview', subject })
}

/** Of the restaurant as a whole: nobody is named. */
export async function doneToday(ctx: Ctx, actor: Actor): Promise<DoneToday> {
  const { subject } = await loadContext(ctx, actor, 'analytics.doneToday')
  const overview = await ctx.analytics.overview({ kind: 'overview', subject })
  const { day, timeZone, completedToday: done, medianResponseMs } = overview
  return { done, medianResponseMs, until: firstInstantOf(addDays(day, 1), timeZone) }
}

/** How long guests' requests take, as far as it is known well enough to tell them. */
export async function expectedTimes(ctx: Ctx, actor: Actor): Promise<ExpectedTimes & { on: boolean }> {
  const { restaurantId } = authorizeInRestaurant(actor, 'analytics.expectedTimes')
  const { expectedTimes: on } = await restaurantOf(read(ctx), actor)
  if (on === 0) return { on: false, similar: [], kept: [] }
  const subject = { restaurantId, now: ctx.now() }
  return { on: true, ...(await ctx.analytics.expectedTimes({ kind: 'expectedTimes', subject })) }
}

type EventDownload = { name: string; chunks: AsyncIterable<Uint8Array> }

/** Everything that is needed to compute the figures of these days, streamed day by day. */
export async function events(ctx: Ctx, actor: Actor, range: DayRange): Promise<EventDownload> {
  const { subject, restaurantName } = await loadContext(ctx, actor, 'analytics.events')
  const linesOf = (day: string) => ctx.analytics.events({ kind: 'events', subject, range, day })
  // A refusal must come before the file starts.
  const first = await linesOf(range.from)
  logSecurityEvent(ctx, actor, 'data-exported', {
    what: 'events',
    since: range.from,
    until: range.to,
    whose: subject.scope,
  })
  return { name: `${restaurantName} events ${range.from} to ${range.to}.csv`, chunks: days() }

  async function* days(): AsyncGenerator<Uint8Array> {
    yield first
    const last = range.to < subject.today ? range.to : subject.today
    for (let day = addDays(range.from, 1); day <= last; day = addDays(day, 1)) yield await linesOf(day)
  }
}

async function loadContext(
  ctx: Ctx,
  actor: Actor,
  operation: Operation,
): Promise<{ subject: AnalyticsContext; restaurantName: string }> {
  const { restaurantId, right } = authorizeInRestaurant(actor, operation)
  const scope = right === 'own' ? (actor.crewMember?.id ?? null) : null
  if (right === 'own' && scope === null) throw forbidden()
  const { name, timeZone, createdAt } = await restaurantOf(read(ctx), actor)
  const now = ctx.now()
  const today = localDay(now, timeZone)
  return { subject: { restaurantId, createdAt, timeZone, today, now, scope }, restaurantName: name }
}
