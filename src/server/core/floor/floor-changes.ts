import { visitDurationMs } from '#contract/requests/requests.ts'
import * as partyMoves from '../../storage/requests/party-moves.ts'
import type { Announce, Ctx } from '../ctx.ts'
import { addDays, localDay } from '../dates.ts'
import type { Tx } from '../transaction.ts'

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

/**
 * Parties that the crew had moved to these tables sit there again now that there are such tables. Their phones follow a
 * table that they came from: they ask again where they are.
 */
export async function announceTablesAreBack(
  ctx: Ctx,
  { db, announce }: Pick<Tx, 'db' | 'announce'>,
  restaurantId: string,
  tableKeys: readonly string[],
): Promise<void> {
  const leadThere = new Set(tableKeys)
  const moves = await partyMoves.listFollowed(db, restaurantId, ctx.now() - visitDurationMs)
  for (const { fromKey, toKey } of moves.toReversed()) if (leadThere.has(toKey)) leadThere.add(fromKey)
  for (const tableKey of leadThere)
    if (!tableKeys.includes(tableKey))
      announce({ kind: 'table', restaurantId, tableKey }, { type: 'table-changed' })
}
