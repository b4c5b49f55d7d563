import type { Announce, Ctx } from '../ctx.ts'
import { addDays, localDay } from '../dates.ts'

/**
 * Open screens of the crew and of managers read the tables, the sections and who is assigned today again. Changes of
 * other `dates` concern none of them.
 */
export function announceFloorChanged(
  ctx: Ctx,
  announce: Announce,
  restaurantId: string,
  dates?: readonly string[],
): void {
  if (dates && !dates.some((date) => isTodaySomewhere(ctx, date))) return
  announce({ kind: 'staff', restaurantId }, { type: 'floor-changed' })
}

/** A screen's today is that of its own calendar. */
function isTodaySomewhere({ now }: Ctx, date: string): boolean {
  const today = localDay(now(), 'UTC')
  return addDays(today, -1) <= date && date <= addDays(today, 1)
}
