import { type PartyMove, undoWindowMs } from '#contract/requests/requests.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import * as visits from '../../../storage/guests/visits.ts'
import * as partyMoves from '../../../storage/requests/party-moves.ts'
import { type Actor, eventAttribution } from '../../actor.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { localDay } from '../../dates.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import { escalateUnattended } from '../escalation/escalation.ts'
import { moveLate } from '../escalation/late-requests.ts'
import { earliestMove, lockBoth, moveSeating, returnSeating } from '../seating.ts'
import {
  announceSeats,
  type MoveTransaction,
  moveRequests,
  requireTable,
  writeRetrying,
} from './moved-requests.ts'
import { returnRequests } from './returned-requests.ts'

/**
 * "Table 4 moved to 12", "4 and 5 together": a table's open requests go to another table, and its phones speak for that one
 * from now on. Sent twice it happens once.
 */
export async function moveParty(ctx: Ctx, actor: Actor, input: PartyMove): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.moveParty')
  const by = eventAttribution(actor)
  await writeRetrying(ctx, (tx) => storeMove({ ctx, tx, by, restaurantId }, input))
  await escalateUnattended(ctx, restaurantId)
}

async function storeMove(change: MoveTransaction, { id, from, to }: PartyMove): Promise<void> {
  const { ctx, tx, restaurantId } = change
  const { db, announce } = tx
  const restaurant = await restaurants.lock(db, restaurantId)
  if (!restaurant) throw notFound('Restaurant')
  if (await partyMoves.find(db, restaurantId, id)) return
  const today = localDay(ctx.now(), restaurant.timeZone)
  const source = await requireTable(db, restaurantId, from, today)
  const target = await requireTable(db, restaurantId, to, today)
  if (source.tableKey === target.tableKey) throw invalid('Please choose another table')
  const tables = { restaurantId, fromKey: source.tableKey, toKey: target.tableKey }
  const seatings = restaurant.seating === 1 ? await lockBoth(ctx, db, tables) : null
  const before = await moveRequests(change, id, source.tableKey, target)
  const now = ctx.now()
  const at = Math.max(
    now,
    (await partyMoves.findLastAt(db, restaurantId)) + 1,
    // Else its phones would not follow where the clock was set back.
    (await visits.findLastStart(db, { restaurantId, tableKey: source.tableKey }, now)) + 1,
    seatings ? earliestMove(seatings) : 0,
  )
  const move = { ...tables, at }
  // Somebody else has moved the party, which cannot be at two tables; they may still undo it.
  if (before.length === 0) {
    const last = await partyMoves.findLast(db, { restaurantId, tableKey: source.tableKey }, move.at)
    // A move that lies further ahead is from before the clock was set back.
    if (last && Math.abs(now - last.at) <= undoWindowMs) throw conflict('This party has just been moved')
  }
  if (seatings) await moveSeating(tx, move, seatings)
  await partyMoves.insert(db, {
    ...move,
    id,
    fromNumber: source.tableNumber,
    toNumber: target.tableNumber,
    undoneAt: null,
    requests: JSON.stringify(before),
  })
  announceSeats(announce, restaurantId, source.tableKey)
  // Also where only phones have moved, of which no request tells.
  announce({ kind: 'staff', restaurantId }, { type: 'seating-changed' })
}

/**
 * Within 10 seconds everything goes back that has not changed since, and what the party has asked for meanwhile: a request
 * that was closed stays closed, one whose former table has asked for the same again joins that, and what guests of the
 * other table have added stays theirs.
 */
export async function undoPartyMove(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.undoPartyMove')
  await writeRetrying(ctx, async (tx) => {
    const { db, announce } = tx
    const restaurant = await restaurants.lock(db, restaurantId)
    const move = await partyMoves.find(db, restaurantId, id)
    if (!move) throw notFound('Move')
    if (move.undoneAt !== null) return
    if (ctx.now() - move.at > undoWindowMs || (await partyMoves.hasLater(db, move)))
      throw conflict('This can no longer be undone')
    const change = { ctx, tx, by: eventAttribution(actor), restaurantId }
    const seatings = restaurant?.seating === 1 ? await lockBoth(ctx, db, move) : null
    await returnRequests(change, move)
    if (seatings) await returnSeating(tx, move, seatings)
    const undoneAt = ctx.now()
    await partyMoves.markUndone(db, move, undoneAt)
    await moveLate(change, { ...move, undoneAt })
    announceSeats(announce, restaurantId, move.toKey)
    announceSeats(announce, restaurantId, move.fromKey)
    announce({ kind: 'staff', restaurantId }, { type: 'seating-changed' })
  })
  await escalateUnattended(ctx, restaurantId)
}
