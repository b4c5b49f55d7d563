import { nameKey } from '#contract/primitives.ts'
import { type Party, visitDurationMs } from '#contract/requests/requests.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as visits from '../../storage/guests/visits.ts'
import * as partyMoves from '../../storage/requests/party-moves.ts'
import type { FollowedMove, PartyMoveRow } from '../../storage/requests/party-moves.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { read } from '../transaction.ts'

type PresentTable = { tableKey: string; tableNumber: string; since: number }
type VisitStart = { restaurantId: string; tableKey: string; startedAt: number }

/** The moves of the party of a visit that began at this table then. */
export async function listMovesOf(
  db: Db,
  { restaurantId, tableKey, startedAt }: VisitStart,
): Promise<FollowedMove[]> {
  const move = await partyMoves.findNext(db, { restaurantId, tableKey }, startedAt)
  if (!move) return []
  return [move, ...(await listMovesOf(db, { restaurantId, tableKey: move.toKey, startedAt: move.at }))]
}

/**
 * Where the party of a visit sits that began at this table then, and since when; null if it is still here. A table that was
 * deleted since is passed over. A code's proof stays behind: the new table's own counts there.
 */
export async function followParty(db: Db, visit: VisitStart): Promise<PresentTable | null> {
  return tableAfter(visit, await listMovesOf(db, visit))
}

/** The same for many visits of a restaurant, none of which began earlier, with a single query. */
export async function followParties(
  db: Db,
  restaurantId: string,
  earliest: number,
): Promise<(visit: Omit<VisitStart, 'restaurantId'>) => PresentTable | null> {
  const moves = await partyMoves.listFollowed(db, restaurantId, earliest)
  return (visit) => {
    let { tableKey, startedAt } = visit
    const own: FollowedMove[] = []
    for (const move of moves) {
      if (move.fromKey !== tableKey || move.at <= startedAt) continue
      own.push(move)
      tableKey = move.toKey
      startedAt = move.at
    }
    return tableAfter(visit, own)
  }
}

function tableAfter(
  { tableKey }: Pick<VisitStart, 'tableKey'>,
  moves: readonly FollowedMove[],
): PresentTable | null {
  const last = moves.findLast(({ exists }) => exists === 1)
  if (!last || last.toKey === tableKey) return null
  return { tableKey: last.toKey, tableNumber: last.toNumber, since: last.at }
}

/**
 * Whether the party of a device, with these visits, was at the table when the move began there. A visit at `tableKey`
 * itself says more than others.
 */
export async function wasInParty(
  db: Db,
  move: PartyMoveRow,
  tableKey: string,
  visits: readonly VisitStart[],
): Promise<boolean> {
  const here = visits.filter((visit) => visit.tableKey === tableKey)
  const decisive = here.length > 0 ? here : visits
  const were = await Promise.all(
    decisive.map(async (visit) => {
      if (visit.startedAt >= move.at) return false
      const last = (await listMovesOf(db, visit)).findLast(({ at }) => at < move.at)
      return (last?.toKey ?? visit.tableKey) === move.fromKey
    }),
  )
  return were.includes(true)
}

/** Who would go along if the party moved. */
export async function party(
  ctx: Ctx,
  actor: Actor,
  { tableNumber }: { tableNumber: string },
): Promise<Party> {
  const { restaurantId } = authorizeInRestaurant(actor, 'tables.party')
  const table = { restaurantId, tableKey: nameKey(tableNumber) }
  const since = ctx.now() - visitDurationMs
  return { phones: await countPhones(read(ctx), table, Number.MAX_SAFE_INTEGER, since) }
}

/** Counts the phones whose visits began here since the last party left, and those that came along with parties since. */
async function countPhones(
  db: Db,
  table: { restaurantId: string; tableKey: string },
  before: number,
  since: number,
): Promise<number> {
  const left = await partyMoves.findLast(db, table, before)
  const from = Math.max(left?.at ?? 0, since)
  let phones = await visits.countStarted(db, table, { from, before })
  for (const { fromKey, at } of await partyMoves.listTo(db, table, { from, before }))
    phones += await countPhones(db, { ...table, tableKey: fromKey }, at, since)
  return phones
}
