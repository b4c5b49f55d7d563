import type { GuestNote } from '#contract/guests/manager-notes.ts'
import { visitDurationMs } from '#contract/requests/requests.ts'
import type { Restaurant } from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as notes from '../../storage/guests/manager-notes.ts'
import type { NoteRow } from '../../storage/guests/manager-notes.ts'
import { type Actor, guestIdsOf } from '../actor.ts'
import type { Ctx } from '../ctx.ts'
import { read, write } from '../transaction.ts'
import { followParty } from './parties.ts'

export const toGuestNote = ({
  id,
  text,
  seenAt,
  takenAt,
  takenBy,
  closedAt,
  answer,
}: NoteRow): GuestNote => ({
  id,
  text,
  state: closedAt !== null ? 'closed' : takenAt !== null ? 'taken' : seenAt !== null ? 'seen' : 'new',
  by: takenBy,
  answer,
})

/** What this device has written. Nothing without an id: it cannot be recognized. */
export async function listOwnNotes(ctx: Ctx, actor: Actor, { id }: Restaurant): Promise<GuestNote[]> {
  const guestIds = guestIdsOf(actor)
  if (guestIds.length === 0) return []
  const own = await notes.listOwn(read(ctx), { restaurantId: id, guestIds }, ctx.now() - visitDurationMs)
  return own.map(toGuestNote)
}

/** For a page that is opened; none where guests cannot write. */
export const notesFor = async (
  ctx: Ctx,
  actor: Actor,
  restaurant: Restaurant,
): Promise<{ notes?: GuestNote[] }> =>
  restaurant.managerNotes === 1 ? { notes: await listOwnNotes(ctx, actor, restaurant) } : {}

type NoteTable = Pick<NoteRow, 'tableKey' | 'tableNumber'>

/**
 * The visit to which a note belongs. What parties did before is not its guest's: `placedAt` is set where that lies ahead
 * of the clock, where the note has come from another table, or where the party had moved before it was written.
 */
export const visitOf = ({ restaurantId, tableKey, createdAt, placedAt }: NoteRow) => ({
  restaurantId,
  tableKey,
  startedAt: placedAt ?? createdAt,
})

/** Where its guest is now: the crew may have moved the party. */
export const tableOf = async (db: Db, row: NoteRow): Promise<NoteTable> =>
  (await followParty(db, visitOf(row))) ?? row

/** What a note says of its table once it is closed: where its guest was then, whatever the crew moves later. */
export async function placeOf(
  db: Db,
  row: NoteRow,
): Promise<Pick<NoteRow, 'tableKey' | 'tableNumber' | 'placedAt'>> {
  const moved = await followParty(db, visitOf(row))
  const { tableKey, tableNumber, placedAt } = row
  return moved
    ? { tableKey: moved.tableKey, tableNumber: moved.tableNumber, placedAt: moved.since }
    : { tableKey, tableNumber, placedAt }
}

type LeftTable = { restaurantId: string; guestIds: string[]; tableKey: string }

/** What a guest wrote at a table that is not theirs: else the manager would speak of it to others. */
export async function takeNotesAlong(
  ctx: Ctx,
  { tableKey, ...guest }: LeftTable,
  table: NoteTable & { verified: boolean; since: number },
): Promise<void> {
  const db = read(ctx)
  const ids: string[] = []
  for (const row of await notes.listOwn(db, guest, ctx.now() - visitDurationMs))
    if (row.closedAt === null && (await tableOf(db, row)).tableKey === tableKey) ids.push(row.id)
  if (ids.length === 0 || tableKey === table.tableKey) return
  const { restaurantId } = guest
  await write(ctx, async ({ db, announce }) => {
    await notes.changePlace(db, restaurantId, ids, {
      tableKey: table.tableKey,
      tableNumber: table.tableNumber,
      verified: table.verified ? 1 : 0,
      placedAt: table.since,
    })
    announce({ kind: 'management', restaurantId }, { type: 'manager-notes-changed' })
  })
}
