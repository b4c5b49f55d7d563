import { firstName } from '#contract/names.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as requestEvents from '../../storage/requests/request-events.ts'
import * as requests from '../../storage/requests/requests.ts'
import type { RequestRow } from '../../storage/requests/requests.ts'
import type { Ctx } from '../ctx.ts'
import { conflict, type Refusal } from '../errors.ts'

/** `ageMs`: how long ago it was tapped, for a tap that is sent late or again. */
export type Tap = { id: string; ageMs?: number }

/** A tap is this much older than it says when the network is slow; nobody takes it back sooner. */
const maxDeliveryMs = 2_000

/**
 * After the tap, somebody released the request or undid its completion: the tap would do again what was taken back.
 * Whatever is done already stays done. Returns what is not.
 */
export async function refuseIfTakenBack(
  ctx: Ctx,
  db: Db,
  restaurantId: string,
  { id, ageMs = 0 }: Tap,
  isDone: (row: RequestRow) => boolean,
): Promise<RequestRow | undefined> {
  const row = await requests.findCurrent(db, restaurantId, id)
  if (!row || isDone(row)) return undefined
  if (await requestEvents.wasTakenBack(db, restaurantId, row.id, earliestTapAt(ctx, ageMs)))
    throw tooLate(row)
  return row
}

/**
 * After the tap that takes it back, a colleague did it again. What the same person did was tapped before, even if it
 * arrived later.
 */
export function refuseIfDoneSince(
  ctx: Ctx,
  row: RequestRow,
  done: { at: number | null; by: string | null },
  tap: { by: string | null; ageMs: number },
): void {
  if (tap.ageMs === 0 || done.at === null || done.by === tap.by) return
  if (done.at > earliestTapAt(ctx, tap.ageMs)) throw tooLate(row)
}

/**
 * After the tap, the guests asked again, or the request was merged into one that was made since: nobody has brought that.
 * Whoever answers "still waiting" does so within a second.
 */
export function refuseIfAskedSince(ctx: Ctx, row: RequestRow, { id, ageMs = 0 }: Tap): void {
  const { createdAt, lastAskedAt, stillWaitingAt } = row
  const tappedAt = ctx.now() - ageMs
  const isAnother = row.id !== id || lastAskedAt > createdAt
  if (isAnother && lastAskedAt > tappedAt) throw tooLateBecause('Asked again')
  if (stillWaitingAt !== null && stillWaitingAt > tappedAt) throw tooLateBecause('Still waiting')
}

const earliestTapAt = (ctx: Ctx, ageMs: number): number => ctx.now() - ageMs - maxDeliveryMs

export const tooLate = (row: RequestRow): Refusal => tooLateBecause(describeState(row))

const tooLateBecause = (what: string): Refusal => conflict(`Too late: ${what}`)

/** What became of a request that somebody was told about. */
export function describeState({
  closedAs,
  acceptedAt,
  acceptedByName,
}: Pick<RequestRow, 'closedAs' | 'acceptedAt' | 'acceptedByName'>): string {
  if (closedAs === 'cancelled') return 'Cancelled'
  if (closedAs === 'completed') return 'Done'
  if (closedAs === 'merged') return 'Joined another table'
  return acceptedAt === null ? 'Waiting again' : `${firstName(acceptedByName)} is on the way`
}
