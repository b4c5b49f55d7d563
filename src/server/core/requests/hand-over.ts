import type { Db } from '../../storage/engine/types.ts'
import * as requests from '../../storage/requests.ts'
import type { RequestRow } from '../../storage/requests.ts'
import type { Announce } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import { listCrewOnDuty, loadAlertSettings, escalationTimes } from './escalation.ts'
import { createEvent, type Attribution, announceRequest } from './request-events.ts'

export type Handover = {
  restaurantId: string
  /** Whoever is on the way, and will not be any more. */
  from: string
  /** Who goes instead; null gives the requests back. */
  to: { id: string; name: string } | null
  by: Attribution
  /** What is given back calls everybody at once, not the crew of its table first. */
  toAllCrew?: boolean
}

/** What somebody is on the way to goes on with a colleague, or waits again. */
export async function handOverAccepted(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  handover: Handover,
): Promise<void> {
  for (const row of await requests.listOpen(db, handover.restaurantId)) {
    if (row.acceptedBy !== handover.from) continue
    const updated = await (handover.to
      ? handOverTo(ctx, db, row, handover.to)
      : releaseToCrew(ctx, db, row, handover))
    if (updated) announceRequest(announce, updated)
  }
}

async function handOverTo(
  ctx: Ctx,
  db: Db,
  row: RequestRow,
  to: { id: string; name: string },
): Promise<RequestRow | undefined> {
  const now = ctx.now()
  const { acceptMs } = await loadAlertSettings(db, row.restaurantId)
  const handed = await requests.handOver(db, row, to, now, now + acceptMs)
  if (!handed) return undefined
  const receiver = { actorKind: 'crew' as const, actorId: to.id, actorName: to.name }
  await requests.appendEvent(db, createEvent(ctx, receiver, handed, 'handed_over'))
  return handed
}

async function releaseToCrew(
  ctx: Ctx,
  db: Db,
  row: RequestRow,
  { from, by, toAllCrew: toEverybody = false }: Handover,
): Promise<RequestRow | undefined> {
  const level = toEverybody ? Math.max(row.level, 1) : row.level
  const times = await escalationTimes(ctx, db, { ...row, level })
  const released = await requests.release(db, row.restaurantId, row.id, { ...times, level }, from)
  if (released) await requests.appendEvent(db, createEvent(ctx, by, released, 'released'))
  return released
}

/** Open requests that nobody is on the way to go to whoever looks after their table now. */
export async function reassignWaiting(
  ctx: Ctx,
  db: Db,
  announce: Announce,
  restaurantId: string,
  today: string,
): Promise<void> {
  for (const row of await requests.listOpen(db, restaurantId)) {
    if (row.acceptedAt !== null || row.tableId === null) continue
    const crew = (await listCrewOnDuty(db, restaurantId, row.tableId, today)).join(' ')
    const moved = crew === row.crew ? undefined : await requests.reassignCrew(db, restaurantId, row.id, crew)
    if (moved) announceRequest(announce, moved)
  }
}
