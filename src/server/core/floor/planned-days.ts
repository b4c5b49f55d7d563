import type { TableAssignment } from '#contract/floor/floor.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as weeklyPattern from '../../storage/floor/weekly-pattern.ts'
import { localToday } from '../accounts/restaurants/restaurants.ts'
import type { Actor } from '../actor.ts'
import type { Ctx } from '../ctx.ts'
import { addDays, localDay } from '../dates.ts'
import { read, write } from '../transaction.ts'
import { announceFloorChanged } from './floor-changes.ts'

/** How many days from today on have the pattern's assignments: a day has them long before it begins anywhere. */
const daysAhead = 14

/** Monday is 0. */
export const weekdayOf = (date: string): number => Temporal.PlainDate.from(date).dayOfWeek - 1

/** A day of the caller's restaurant. */
type Day = { restaurantId: string; date: string }

/** Who is assigned on a day: as stored, or by the pattern on days that it has not filled yet. */
export async function listDay(ctx: Ctx, db: Db, actor: Actor, day: Day): Promise<TableAssignment[]> {
  const { restaurantId, date } = day
  return (await awaitsPattern(ctx, db, actor, day))
    ? weeklyPattern.listAssignments(db, { restaurantId, weekday: weekdayOf(date) })
    : floor.listAssignmentsOn(db, restaurantId, date)
}

/** Whether nothing is stored for a day because the pattern has not filled it yet. */
export async function awaitsPattern(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  { restaurantId, date }: Day,
): Promise<boolean> {
  const filledTo = await weeklyPattern.findFilledTo(db, restaurantId)
  if (filledTo === undefined || date <= filledTo) return false
  if (date < (await localToday(ctx, db, actor))) return false
  if ((await weeklyPattern.findDay(db, { restaurantId, date })) !== undefined) return false
  const assigned = await weeklyPattern.listAssignedDays(db, restaurantId, { from: date, to: date })
  return assigned.length === 0
}

/** Before something is set by hand on these days: from now on the pattern leaves them alone. */
export async function takeOverDays(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  { restaurantId, dates }: { restaurantId: string; dates: readonly string[] },
): Promise<void> {
  const weekdays = new Set(await weeklyPattern.listWeekdays(db, restaurantId))
  const taken = dates.filter((date) => weekdays.has(weekdayOf(date)))
  for (const date of taken)
    if (await awaitsPattern(ctx, db, actor, { restaurantId, date }))
      await weeklyPattern.fillDay(db, { restaurantId, date, weekday: weekdayOf(date) })
  await weeklyPattern.setDays(db, restaurantId, taken, 'hand')
}

/** Fills the days from today on that nobody has set by hand, and returns them. The restaurant is locked. */
export async function fillDays(db: Db, restaurantId: string, today: string): Promise<string[]> {
  const to = addDays(today, daysAhead - 1)
  const weekdays = new Set(await weeklyPattern.listWeekdays(db, restaurantId))
  const planned = new Set((await weeklyPattern.listDays(db, restaurantId, today)).map(({ date }) => date))
  const assigned = new Set(await weeklyPattern.listAssignedDays(db, restaurantId, { from: today, to }))
  const days = Array.from({ length: daysAhead }, (_, index) => addDays(today, index)).filter(
    (date) => weekdays.has(weekdayOf(date)) && !planned.has(date),
  )
  const [byHand, free] = [
    days.filter((date) => assigned.has(date)),
    days.filter((date) => !assigned.has(date)),
  ]
  for (const date of free) await weeklyPattern.fillDay(db, { restaurantId, date, weekday: weekdayOf(date) })
  await weeklyPattern.setDays(db, restaurantId, byHand, 'hand')
  await weeklyPattern.setDays(db, restaurantId, free, 'pattern')
  await weeklyPattern.setFilledTo(db, restaurantId, to)
  return free
}

/** After a table or a crew member was restored, or has another role: days from the pattern are as it says again. */
export async function refillDays(db: Db, restaurantId: string, today: string): Promise<void> {
  if ((await weeklyPattern.findFilledTo(db, restaurantId)) === undefined) return
  const days = await weeklyPattern.listDays(db, restaurantId, today)
  const fromPattern = days.filter(({ origin }) => origin === 'pattern').map(({ date }) => date)
  await weeklyPattern.releaseDays(db, restaurantId, fromPattern)
  await fillDays(db, restaurantId, today)
}

/** For each restaurant once a day, by whichever process locks it first. */
export async function fillDueDays(ctx: Ctx): Promise<void> {
  // Somewhere it is still yesterday.
  const due = addDays(localDay(ctx.now(), 'UTC'), daysAhead - 2)
  const failures: unknown[] = []
  for (const restaurantId of await weeklyPattern.listDue(read(ctx), due)) {
    if (ctx.stopping.aborted) break
    try {
      await write(ctx, async ({ db, announce }) => {
        const restaurant = await restaurants.lock(db, restaurantId)
        if (!restaurant) return
        // Meanwhile another process may have filled them, or the owner ended the pattern.
        const filledTo = await weeklyPattern.findFilledTo(db, restaurantId)
        if (filledTo === undefined || filledTo >= due) return
        const filled = await fillDays(db, restaurantId, localDay(ctx.now(), restaurant.timeZone))
        announceFloorChanged(ctx, announce, restaurantId, filled)
      })
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
