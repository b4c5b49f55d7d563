import type { GuestNote, ManagerNote, ManagerNotes, NewGuestNote } from '#contract/guests/manager-notes.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as notes from '../../storage/guests/manager-notes.ts'
import type { NoteRow } from '../../storage/guests/manager-notes.ts'
import type { Outgoing } from '../../storage/push/push-deliveries.ts'
import * as devices from '../../storage/push/push-subscriptions.ts'
import { requireByName, restaurantOf } from '../accounts/restaurants/restaurants.ts'
import { type Actor, guestIdsOf } from '../actor.ts'
import { authorize, authorizeInRestaurant } from '../authorize.ts'
import type { Announce, Ctx } from '../ctx.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { isTooLateToPush, pushLate, whenPushIsDue } from '../push/late-pushes.ts'
import { noteNotification, noteWithdrawal } from '../push/notifications.ts'
import { withdrawPush } from '../push/withdrawals.ts'
import { read, type Tx, write } from '../transaction.ts'
import { listOwnNotes, placeOf, tableOf, toGuestNote, visitOf } from './own-notes.ts'
import { followParties } from './parties.ts'
import { consumeNoteLimits } from './rate-limits.ts'
import { requireSeat } from './visits.ts'

/** Shown to managers at most. */
const maxListed = 200

/**
 * A guest writes to the manager. It needs what a tap needs, but neither hours nor pauses matter: who is still there may
 * still say so. The same note sent twice counts once, whatever has changed since.
 */
export async function send(
  ctx: Ctx,
  actor: Actor,
  input: NewGuestNote,
): Promise<{ note: GuestNote; created: boolean }> {
  authorize(actor, 'guestNotes.send')
  const { id, text } = input
  const named = await requireByName(ctx, read(ctx), input.restaurantId)
  const stored = await notes.find(read(ctx), named.id, id)
  if (stored) return { note: toOwnNote(actor, stored), created: false }
  if (named.managerNotes !== 1)
    throw conflict('Messages to the manager are switched off here. Please ask your waiter.')
  // Before its table is looked up: should the crew move the party meanwhile, the note follows.
  const createdAt = ctx.now()
  const { restaurant, seat, verified, moved, start } = await requireSeat(ctx, actor, input)
  await consumeNoteLimits(ctx, { actor, restaurantId: restaurant.id, tableKey: seat.tableKey, verified })
  // Should the crew undo the move, the note goes back with its party.
  const { tableKey, tableNumber } = moved ? await findNamed(read(ctx), restaurant.id, input) : seat
  const { row, created } = await write(ctx, async ({ db, announce }) => {
    const inserted = await notes.insert(db, {
      restaurantId: restaurant.id,
      id,
      tableKey,
      tableNumber,
      guestId: actor.guestId,
      text,
      verified: verified ? 1 : 0,
      createdAt,
      placedAt: moved || start > createdAt ? start : null,
      seenAt: null,
      takenAt: null,
      takenBy: null,
      closedAt: null,
      answer: null,
      pushDueAt: whenPushIsDue(ctx, restaurant.id),
    })
    if (inserted) announceToManagers(announce, restaurant.id)
    const row = inserted ?? (await requireNote(db, restaurant.id, id))
    return { row, created: inserted !== undefined }
  })
  if (created) ctx.pusher.sendInBackground(row.restaurantId, (db) => callManagers(ctx, db, row))
  return { note: toOwnNote(actor, row), created }
}

async function findNamed(db: Db, restaurantId: string, { tableNumber: named }: NewGuestNote) {
  const table = await floor.findByNumber(db, restaurantId, named)
  return { tableKey: nameKey(named), tableNumber: table?.tableNumber ?? named }
}

/** Whoever sends an id that somebody else has used learns nothing about that note. */
function toOwnNote(actor: Actor, row: NoteRow): GuestNote {
  const own = [actor.guestId, ...guestIdsOf(actor)]
  if (!own.includes(row.guestId)) throw invalid('Not a valid id')
  return toGuestNote(row)
}

export async function mine(
  ctx: Ctx,
  actor: Actor,
  { restaurantId: name }: { restaurantId: string },
): Promise<GuestNote[]> {
  authorize(actor, 'guestNotes.mine')
  return listOwnNotes(ctx, actor, await requireByName(ctx, read(ctx), name))
}

export async function list(ctx: Ctx, actor: Actor): Promise<ManagerNotes> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managerNotes.list')
  const db = read(ctx)
  const { managerNotes } = await restaurantOf(db, actor)
  const rows = await notes.list(db, restaurantId, maxListed)
  const newestFirst = rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  const earliest = Math.min(ctx.now(), ...rows.map((row) => visitOf(row).startedAt))
  const tableAfter = await followParties(db, restaurantId, earliest)
  const listed = newestFirst.map((row) =>
    toManagerNote(row, row.closedAt === null ? tableAfter(visitOf(row)) : null),
  )
  return { on: managerNotes === 1, notes: listed }
}

/** `moved`: where its guest is now. */
const toManagerNote = (row: NoteRow, moved: { tableNumber: string } | null): ManagerNote => ({
  ...toGuestNote(row),
  tableNumber: (moved ?? row).tableNumber,
  timestamp: row.createdAt,
  verified: row.verified === 1,
})

export async function markSeen(ctx: Ctx, actor: Actor, { ids }: { ids: string[] }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managerNotes.markSeen')
  await write(ctx, async (tx) => {
    // In one order, so that two screens do not wait for each other.
    for (const id of ids.toSorted()) {
      const seen = await notes.markSeen(tx.db, restaurantId, id, ctx.now())
      if (seen) await announceChange(tx, seen)
    }
  })
}

/** The first of several managers looks after it; the others get the note as it is. */
export async function take(
  ctx: Ctx,
  actor: Actor,
  { id, name }: { id: string; name?: string | undefined },
): Promise<ManagerNote> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managerNotes.take')
  return change(ctx, restaurantId, id, (db) =>
    notes.take(db, restaurantId, id, { takenAt: ctx.now(), takenBy: name ?? null }),
  )
}

/** The first answer counts; the others get the note as it is. */
export async function close(
  ctx: Ctx,
  actor: Actor,
  { id, answer }: { id: string; answer?: string | undefined },
): Promise<ManagerNote> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managerNotes.close')
  return change(ctx, restaurantId, id, async (db) => {
    const place = await placeOf(db, await requireNote(db, restaurantId, id))
    return notes.close(db, restaurantId, id, { closedAt: ctx.now(), answer: answer ?? null, ...place })
  })
}

async function change(
  ctx: Ctx,
  restaurantId: string,
  id: string,
  apply: (db: Db) => Promise<NoteRow | undefined>,
): Promise<ManagerNote> {
  return write(ctx, async (tx) => {
    const changed = await apply(tx.db)
    if (changed) {
      await announceChange(tx, changed)
      await withdrawPush(ctx, tx, restaurantId, noteWithdrawal(changed))
    }
    const row = changed ?? (await requireNote(tx.db, restaurantId, id))
    return toManagerNote(row, row.closedAt === null ? await tableOf(tx.db, row) : null)
  })
}

async function requireNote(db: Db, restaurantId: string, id: string): Promise<NoteRow> {
  const row = await notes.find(db, restaurantId, id)
  if (!row) throw notFound('Note')
  return row
}

/** The messages say only that something has changed: each screen reads what it may see. */
async function announceChange(tx: Tx, row: NoteRow): Promise<void> {
  const { restaurantId } = row
  announceToManagers(tx.announce, restaurantId)
  const { tableKey } = await tableOf(tx.db, row)
  tx.announce({ kind: 'table', restaurantId, tableKey }, { type: 'table-changed' })
}

const announceToManagers = (announce: Announce, restaurantId: string): void =>
  announce({ kind: 'management', restaurantId }, { type: 'manager-notes-changed' })

async function callManagers(ctx: Ctx, db: Db, { restaurantId, id }: NoteRow): Promise<Outgoing[]> {
  const row = await notes.claimPush(db, restaurantId, id)
  if (!row || row.takenAt !== null || row.closedAt !== null) return []
  const notification = noteNotification(row)
  if (isTooLateToPush(ctx, row, notification)) return []
  const to = await devices.listForManagers(db, restaurantId, ctx.now())
  return ctx.pusher.notify(db, restaurantId, to, notification)
}

/** Notes of which no push has begun, because the node that took them has ended. */
export const pushDueNotes = (ctx: Ctx): Promise<void> =>
  pushLate(ctx, notes.listPushDue, (db, row) => callManagers(ctx, db, row))
