import { undoWindowMs } from '#contract/requests/requests.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import * as outsideEvents from '../../../storage/outside/outside-events.ts'
import * as partyMoves from '../../../storage/requests/party-moves.ts'
import type { PartyMoveRow } from '../../../storage/requests/party-moves.ts'
import * as requestEvents from '../../../storage/requests/request-events.ts'
import * as transitions from '../../../storage/requests/request-transitions.ts'
import type { RequestPlace } from '../../../storage/requests/request-transitions.ts'
import * as requests from '../../../storage/requests/requests.ts'
import type { RequestRow } from '../../../storage/requests/requests.ts'
import { type Actor, crewAttribution, eventAttribution } from '../../actor.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { localDay } from '../../dates.ts'
import { conflict, notFound } from '../../errors.ts'
import { listMovesOf } from '../../guests/parties.ts'
import { scheduleOutsideAlerts } from '../../outside/schedule.ts'
import type { Current } from '../crew-requests.ts'
import { escalateUnattended, escalationTimes, loadEscalationSettings } from '../escalation/escalation.ts'
import { refuseIfDoneSince, type Tap } from '../late-taps.ts'
import { announceRequest, recordEvent } from '../request-events.ts'
import {
  lockOpenAt,
  mergeRequests,
  type MovedRequest,
  type MoveTransaction,
  placeAt,
  placeOf,
  placeRequest,
  requireTable,
  type Table,
  writeRetrying,
} from './moved-requests.ts'
import { separateFrom } from './returned-requests.ts'

/** Undoes a completion, within 10 seconds. The request is opened where its party sits by now. */
export async function reopen(ctx: Ctx, actor: Actor, { id, ageMs = 0 }: Tap): Promise<Current> {
  const { restaurantId } = authorizeInRestaurant(actor, 'requests.reopen')
  const by = crewAttribution(actor).id
  let request: Current
  await writeRetrying(ctx, async (tx) => {
    const { db } = tx
    // Its party neither moves nor comes back meanwhile.
    const restaurant = await restaurants.lock(db, restaurantId)
    const before = await requests.find(db, restaurantId, id)
    if (!restaurant || !before) throw notFound('Request')
    // What a first try, whose answer was lost, has joined with another request goes on in that one.
    if (before.closedAt !== null && before.closedAs !== 'merged') {
      refuseIfDoneSince(ctx, before, { at: before.closedAt, by: before.closedBy }, { by, ageMs })
      const completed = await transitions.lockCompleted(db, before, ctx.now() - undoWindowMs)
      // The request is locked by now: a webhook has been told of its completion, or will not be.
      if (!completed || (await outsideEvents.isEndTold(db, completed)))
        throw conflict('This can no longer be undone')
      const change = { ctx, tx, by: eventAttribution(actor), restaurantId }
      await openWherePartySits(change, completed, localDay(ctx.now(), restaurant.timeZone))
    }
    const current = await requests.findCurrent(db, restaurantId, id)
    request = current && requests.toRequest(current)
  })
  await escalateUnattended(ctx, restaurantId)
  return request
}

async function openWherePartySits(change: MoveTransaction, row: RequestRow, today: string): Promise<void> {
  const { ctx, tx, by, restaurantId } = change
  const { db, announce } = tx
  const { undone, followed, target } = await findParty(db, row, today)
  const same = (await lockOpenAt(db, restaurantId, [target.tableKey])).find(
    ({ serviceType }) => serviceType === row.serviceType,
  )
  // A table has at most one open request for a service.
  if (same && target.tableKey === row.tableKey) throw conflict('The table has already asked again')
  const { acceptMs } = await loadEscalationSettings(db, restaurantId)
  const times =
    row.acceptedAt === null
      ? await escalationTimes(ctx, db, row)
      : { nextLevelAt: null, acceptUntil: ctx.now() + acceptMs }
  const place = placeAt(row, target)
  const open = async (): Promise<RequestRow> => {
    const reopened = await transitions.reopen(db, row, { ...times, ...place })
    await scheduleOutsideAlerts(ctx, db, reopened)
    return reopened
  }
  recordEvent(ctx, tx, by, row, 'reopened')
  if (same) {
    // Screens list it as completed: it is open again for them before it is merged.
    const request = requests.toRequest({ ...row, ...times, ...place })
    announce({ kind: 'staff', restaurantId }, { type: 'request-updated', request })
    const last = followed.at(-1)
    const asLeft = { ...row, ...times, ...last?.place }
    const moveId = last?.move.id ?? ctx.newId()
    const before = await mergeRequests(change, moveId, { row: asLeft, same, target, open })
    return rememberMoves(change, row, followed, before)
  }
  const opened = await open()
  if (target.tableKey === row.tableKey) announceRequest(announce, opened)
  else await placeRequest(change, opened, place)
  await rememberMoves(change, row, followed)
  for (const move of undone) await separateFrom(change, move, opened)
}

/** A move that the request did not go along with, because it was completed, and where it would have been before. */
type FollowedMove = { move: PartyMoveRow; place: RequestPlace }

/** Where the party of the completed request sits by now, and the moves since that were undone, or followed there. */
async function findParty(
  db: Db,
  row: RequestRow,
  today: string,
): Promise<{ undone: PartyMoveRow[]; followed: FollowedMove[]; target: Table }> {
  const { restaurantId, createdAt, closedAt } = row
  const own: Table = { ...placeOf(row), tableNumber: requests.presentTable(row) }
  let target = own
  // Where a correction of its table has brought it since, the moves before that are not its own.
  let since = Math.max(closedAt ?? 0, (await requestEvents.findLastMove(db, restaurantId, row.id)) ?? 0)
  const undone: PartyMoveRow[] = []
  for (;;) {
    const { tableKey } = target
    const candidates = await partyMoves.listUndone(db, { restaurantId, tableKey }, since)
    const move = candidates.find(
      (each) => entriesAbout(row, each).length > 0 && undone.every(({ id }) => id !== each.id),
    )
    if (!move) break
    undone.push(move)
    since = move.undoneAt ?? since
    const entry = entriesAbout(row, move).find(({ into }) => into === null)
    if (entry) target = { ...entry, tableNumber: move.fromNumber }
  }
  const followed: FollowedMove[] = []
  // A party that moved in the millisecond of the completion did so afterwards, or it would have taken the request along.
  const startedAt = Math.max(createdAt, since - 1)
  for (const move of await listMovesOf(db, { restaurantId, tableKey: target.tableKey, startedAt })) {
    if (move.exists !== 1) continue
    followed.push({ move, place: placeAt(row, target) })
    target = await requireTable(db, restaurantId, move.toNumber, today)
  }
  return { undone, followed, target: target.tableKey === own.tableKey ? own : target }
}

function entriesAbout({ id }: RequestRow, move: PartyMoveRow): MovedRequest[] {
  const moved: MovedRequest[] = JSON.parse(move.requests)
  return moved.filter((entry) => entry.id === id || entry.into === id)
}

/** So that an undo of the moves takes it back. `last`: what the last one has changed. */
async function rememberMoves(
  { tx }: MoveTransaction,
  { id }: RequestRow,
  followed: readonly FollowedMove[],
  last?: readonly MovedRequest[],
): Promise<void> {
  for (const { move, place } of followed) {
    const known: MovedRequest[] = JSON.parse(move.requests)
    const isLast = move === followed.at(-1)?.move
    const added = (isLast ? last : undefined) ?? [{ id, into: null, ...place }]
    await partyMoves.setRequests(tx.db, move, JSON.stringify([...known, ...added]))
  }
}
