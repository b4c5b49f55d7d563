import { nameKey } from '#contract/primitives.ts'
import { undoWindowMs } from '#contract/requests/requests.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as partyMoves from '../../../storage/requests/party-moves.ts'
import type { PartyMoveRow } from '../../../storage/requests/party-moves.ts'
import type { Ctx } from '../../ctx.ts'
import { localDay } from '../../dates.ts'
import { followParty, wasInParty } from '../../guests/parties.ts'
import { read } from '../../transaction.ts'
import {
  type MoveTransaction,
  type MovedRequest,
  moveRequests,
  requireTable,
  writeRetrying,
} from '../moves/moved-requests.ts'
import { systemAttribution } from '../request-events.ts'
import { escalateUnattended } from './escalation.ts'

/**
 * A tap takes no lock. One that was under way while its party moved, or while that was undone, was stored at the wrong
 * table: it follows within a second.
 */
export async function moveLateRequests(ctx: Ctx): Promise<void> {
  const moves = await partyMoves.listWithLate(read(ctx), ctx.now() - undoWindowMs)
  const grouped = Map.groupBy(moves, ({ restaurantId }) => restaurantId)
  await Promise.all(
    [...grouped].map(async ([restaurantId, moves]) => {
      try {
        for (const { id } of moves) await moveLateOf(ctx, restaurantId, id)
      } catch (error) {
        ctx.log.warn({ restaurantId, error }, 'could not bring requests along with a party')
      }
    }),
  )
}

async function moveLateOf(ctx: Ctx, restaurantId: string, id: string): Promise<void> {
  const found = await partyMoves.find(read(ctx), restaurantId, id)
  if (!found || (await listLateIds(read(ctx), found)).size === 0) return
  await writeRetrying(ctx, async (tx) => {
    const { db } = tx
    await restaurants.lock(db, restaurantId)
    const move = await partyMoves.find(db, restaurantId, id)
    if (!move) return
    const before = await moveLate({ ctx, tx, by: systemAttribution, restaurantId }, move)
    if (move.undoneAt !== null || before.length === 0) return
    const known: MovedRequest[] = JSON.parse(move.requests)
    await partyMoves.setRequests(db, move, JSON.stringify([...known, ...before]))
  })
  await escalateUnattended(ctx, restaurantId)
}

/** To where the party of the move is now, from the table that it has left: after an undo, the one that it went to. */
export async function moveLate(change: MoveTransaction, move: PartyMoveRow): Promise<MovedRequest[]> {
  const { ctx, tx, restaurantId } = change
  const { db } = tx
  const late = await listLateIds(db, move)
  const restaurant = await restaurants.findById(db, restaurantId)
  if (late.size === 0 || !restaurant) return []
  const left = move.undoneAt === null ? move.fromKey : move.toKey
  const seat = await followParty(db, { restaurantId, tableKey: move.fromKey, startedAt: move.at - 1 })
  const number = seat?.tableNumber ?? move.fromNumber
  if (nameKey(number) === left) return []
  const today = localDay(ctx.now(), restaurant.timeZone)
  return moveRequests(change, move.id, left, await requireTable(db, restaurantId, number, today), late)
}

/** The requests that only devices of the party asked for. A visit at the table itself says more than others. */
async function listLateIds(db: Db, move: PartyMoveRow): Promise<Set<string>> {
  const late = new Set<string>()
  const asked = Map.groupBy(await partyMoves.listLateVisits(db, move), ({ requestId }) => requestId)
  for (const [requestId, visits] of asked) {
    const devices = [...Map.groupBy(visits, ({ guestId }) => guestId).values()]
    const belong = await Promise.all(
      devices.map((visits) => wasInParty(db, move, visits[0]?.requestKey ?? '', visits)),
    )
    if (!belong.includes(false)) late.add(requestId)
  }
  return late
}
