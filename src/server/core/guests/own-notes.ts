import type { GuestNote } from '#contract/guests/manager-notes.ts'
import { visitDurationMs } from '#contract/requests/requests.ts'
import type { Restaurant } from '../../storage/accounts/restaurants.ts'
import * as notes from '../../storage/guests/manager-notes.ts'
import type { NoteRow } from '../../storage/guests/manager-notes.ts'
import type { Actor } from '../actor.ts'
import type { Ctx } from '../ctx.ts'
import { read } from '../transaction.ts'

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

/** What this device has written. Nothing without cookies: it cannot be recognized. */
export async function listOwnNotes(ctx: Ctx, { guestId }: Actor, { id }: Restaurant): Promise<GuestNote[]> {
  if (guestId === null) return []
  const own = await notes.listOwn(read(ctx), { restaurantId: id, guestId }, ctx.now() - visitDurationMs)
  return own.map(toGuestNote)
}

/** For a page that is opened; none where guests cannot write. */
export const notesFor = async (
  ctx: Ctx,
  actor: Actor,
  restaurant: Restaurant,
): Promise<{ notes?: GuestNote[] }> =>
  restaurant.managerNotes === 1 ? { notes: await listOwnNotes(ctx, actor, restaurant) } : {}
