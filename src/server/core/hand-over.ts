import type { Db } from '../storage/types.ts'
import * as requests from '../storage/requests.ts'
import type { RequestRow } from '../storage/requests.ts'
import type { Announce } from './transaction.ts'
import type { Ctx } from './ports.ts'
import { crewNow, settingsOf, timesOf } from './ladder.ts'
import { eventOf, type Signature, tell } from './request-news.ts'

export type Handover = {
  restaurantId: string
  /** Whoever is on the way, and will not be any more. */
  from: string
  /** Who goes instead; null gives the requests back. */
  to: { id: string; name: string } | null
  by: Signature
  /** What is given back calls everybody at once, not the crew of its table first. */
  toEverybody?: boolean
}

/** What somebody is on the way to goes on with a colleague, or waits again. */
export async function handOverAccepted(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  handover: Handover,
): Promise<void> {
  for (const row of await requests.open(db, handover.restaurantId)) {
    if (row.acceptedBy !== handover.from) continue
    const changed = await (handover.to ? passOn(ctx, db, row, handover.to) : giveBack(ctx, db, row, handover))
    if (changed) tell(announce, changed)
  }
}

async function passOn(
  ctx: Ctx,
  db: Db,
  row: RequestRow,
  to: { id: string; name: string },
): Promise<RequestRow | undefined> {
  const now = ctx.now()
  const { acceptMs } = await settingsOf(db, row.restaurantId)
  const handed = await requests.handOver(db, row, to, now, now + acceptMs)
  if (!handed) return undefined
  const receiver = { actorKind: 'crew' as const, actorId: to.id, actorName: to.name }
  await requests.append(db, eventOf(ctx, receiver, handed, 'handed_over'))
  return handed
}

async function giveBack(
  ctx: Ctx,
  db: Db,
  row: RequestRow,
  { from, by, toEverybody = false }: Handover,
): Promise<RequestRow | undefined> {
  const level = toEverybody ? Math.max(row.level, 1) : row.level
  const times = await timesOf(ctx, db, { ...row, level })
  const released = await requests.release(db, row.restaurantId, row.id, { ...times, level }, from)
  if (released) await requests.append(db, eventOf(ctx, by, released, 'released'))
  return released
}

/** Open requests that nobody is on the way to go to whoever looks after their table now. */
export async function readdressWaiting(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  restaurantId: string,
  today: string,
): Promise<void> {
  for (const row of await requests.open(db, restaurantId)) {
    if (row.acceptedAt !== null || row.tableId === null) continue
    const crew = (await crewNow(db, restaurantId, row.tableId, today)).join(' ')
    const moved = crew === row.crew ? undefined : await requests.entrust(db, restaurantId, row.id, crew)
    if (moved) tell(announce, moved)
  }
}
