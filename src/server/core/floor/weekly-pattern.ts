import type { DayChange, TableAssignment } from '#contract/floor/floor.ts'
import {
  type ChangedDay,
  type NewPattern,
  type PatternEnd,
  type PatternState,
  weekdayNames,
} from '#contract/floor/weekly-pattern.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as deletedItems from '../../storage/deleted-items.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as weeklyPattern from '../../storage/floor/weekly-pattern.ts'
import { localToday } from '../accounts/restaurants/restaurants.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { invalid, notFound } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { announceFloorChanged } from './floor-changes.ts'
import { areSame, keepValid, refuseIfChanged, requireHostStand, slotOf } from './floor.ts'
import { awaitsPattern, fillDays, listDay, takeOverDays, weekdayOf } from './planned-days.ts'

export async function state(ctx: Ctx, actor: Actor, { date }: { date: string }): Promise<PatternState> {
  const { restaurantId } = authorizeInRestaurant(actor, 'weeklyPattern.state')
  const weekdays = await weeklyPattern.listWeekdays(read(ctx), restaurantId)
  return { weekdays, day: await findOrigin(ctx, read(ctx), actor, { restaurantId, date, weekdays }) }
}

type Weekday = { restaurantId: string; date: string; weekdays: readonly number[] }

async function findOrigin(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  { weekdays, ...day }: Weekday,
): Promise<PatternState['day']> {
  if (!weekdays.includes(weekdayOf(day.date))) return null
  const origin = await weeklyPattern.findDay(db, day)
  if (origin) return origin
  if (await awaitsPattern(ctx, db, actor, day)) return 'pattern'
  return day.date < (await localToday(ctx, db, actor)) ? null : 'hand'
}

/** Days to come that the pattern has filled follow it; today stays as it is, because people are working by it. */
export async function save(ctx: Ctx, actor: Actor, { sourceDate, weekdays, was }: NewPattern): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'weeklyPattern.save')
  await write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const stand = await requireHostStand(db, restaurantId)
    const shown = await listDay(ctx, db, actor, { restaurantId, date: sourceDate })
    refuseIfChanged(was, shown)
    const assignments = await keepValid(db, restaurantId, shown, stand)
    if (assignments.length === 0) throw invalid('No assignments found for this day')
    const rows = assignments.map((assignment) => ({ ...assignment, slot: slotOf(assignment, stand) }))
    for (const weekday of new Set(weekdays)) await weeklyPattern.replace(db, { restaurantId, weekday }, rows)

    const today = await localToday(ctx, db, actor)
    const isChanged = (date: string): boolean => weekdays.includes(weekdayOf(date))
    await keepToday(db, { restaurantId, date: today }, isChanged(today) ? assignments : null)
    const days = await weeklyPattern.listDays(db, restaurantId, today)
    const following = days.filter(
      ({ date, origin }) => origin === 'pattern' && date > today && isChanged(date),
    )
    const follows = sourceDate >= today && isChanged(sourceDate)
    await weeklyPattern.releaseDays(db, restaurantId, [
      ...following.map(({ date }) => date),
      ...(follows ? [sourceDate] : []),
    ])
    await fillDays(db, restaurantId, today)
    announceFloorChanged(ctx, announce, restaurantId)
    await audit.record(ctx, db, actor, restaurantId, 'weeklyPattern.save', {
      date: sourceDate,
      weekdays: weekdayNames.filter((_, weekday) => weekdays.includes(weekday)),
    })
  })
}

/** From now on today counts as set by hand, unless the new pattern says the same. */
async function keepToday(
  db: Db,
  { restaurantId, date }: { restaurantId: string; date: string },
  pattern: readonly TableAssignment[] | null,
): Promise<void> {
  if (pattern === null || (await weeklyPattern.findDay(db, { restaurantId, date })) !== 'pattern') return
  if (!areSame(pattern, await floor.listAssignmentsOn(db, restaurantId, date)))
    await weeklyPattern.setDays(db, restaurantId, [date], 'hand')
}

/** Today stays as it is; on later days nobody is assigned unless it was done by hand. */
export async function end(ctx: Ctx, actor: Actor, { weekday }: PatternEnd): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'weeklyPattern.end')
  await write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const weekdays = await weeklyPattern.listWeekdays(db, restaurantId)
    if (!weekdays.includes(weekday)) throw notFound('Weekly pattern')
    const today = await localToday(ctx, db, actor)
    const days = (await weeklyPattern.listDays(db, restaurantId, today)).filter(
      ({ date }) => weekdayOf(date) === weekday,
    )
    const filled = days.filter(({ date, origin }) => origin === 'pattern' && date > today)
    const datesOf = (some: typeof days): string[] => some.map(({ date }) => date)
    await weeklyPattern.releaseDays(db, restaurantId, datesOf(filled))
    await weeklyPattern.forgetDays(db, restaurantId, datesOf(days))
    await weeklyPattern.remove(db, { restaurantId, weekday })
    if (weekdays.length === 1) await weeklyPattern.removeFilledTo(db, restaurantId)
    announceFloorChanged(ctx, announce, restaurantId, datesOf(filled))
    await audit.record(ctx, db, actor, restaurantId, 'weeklyPattern.end', {
      weekdays: weekdayNames.filter((_, each) => each === weekday),
    })
  })
}

export async function resume(ctx: Ctx, actor: Actor, { date, was }: DayChange): Promise<ChangedDay> {
  const { restaurantId } = authorizeInRestaurant(actor, 'weeklyPattern.resume')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    const today = await localToday(ctx, db, actor)
    refuseOver(date, today)
    const weekdays = await weeklyPattern.listWeekdays(db, restaurantId)
    if (!weekdays.includes(weekdayOf(date))) throw notFound('Weekly pattern')
    const day = { restaurantId, date }
    const before = await listDay(ctx, db, actor, day)
    refuseIfChanged(was, before)
    const origin = await findOrigin(ctx, db, actor, { ...day, weekdays })
    await weeklyPattern.releaseDays(db, restaurantId, [date])
    await fillDays(db, restaurantId, today)
    announceFloorChanged(ctx, announce, restaurantId, [date])
    await audit.record(ctx, db, actor, restaurantId, 'weeklyPattern.resume', { date })
    return { before, origin, assignments: await listDay(ctx, db, actor, day) }
  })
}

export async function clearDay(ctx: Ctx, actor: Actor, { date, was }: DayChange): Promise<ChangedDay> {
  const { restaurantId } = authorizeInRestaurant(actor, 'weeklyPattern.clearDay')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    refuseOver(date, await localToday(ctx, db, actor))
    const before = await listDay(ctx, db, actor, { restaurantId, date })
    refuseIfChanged(was, before)
    const weekdays = await weeklyPattern.listWeekdays(db, restaurantId)
    const origin = await findOrigin(ctx, db, actor, { restaurantId, date, weekdays })
    await takeOverDays(ctx, db, actor, { restaurantId, dates: [date] })
    await floor.clearDay(db, restaurantId, date)
    await deletedItems.forgetAssignmentsOn(db, restaurantId, date)
    announceFloorChanged(ctx, announce, restaurantId, [date])
    await audit.record(ctx, db, actor, restaurantId, 'weeklyPattern.clearDay', { date })
    return { before, origin, assignments: [] }
  })
}

function refuseOver(date: string, today: string): void {
  if (date < today) throw invalid('Days that are over stay as they were')
}
