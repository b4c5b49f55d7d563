import * as transitions from '../../storage/requests/request-transitions.ts'
import * as requests from '../../storage/requests/requests.ts'
import type { RequestRow } from '../../storage/requests/requests.ts'
import type { Ctx } from '../ctx.ts'
import { scheduleOutsideAlerts } from '../outside/schedule.ts'
import type { Tx } from '../transaction.ts'
import { listCrewOnDuty, loadEscalationSettings, escalationTimes } from './escalation/escalation.ts'
import { announceRequest, type Attribution, recordEvent } from './request-events.ts'

export type Handover = {
  restaurantId: string
  /** Whose accepted requests are handed over. */
  from: string
  /** Who takes them; null gives them back to the crew. */
  to: { id: string; name: string } | null
  by: Attribution
  /** Requests given back alert all crew at once instead of the crew of their table first. */
  toAllCrew?: boolean
}

/** Accepted requests go to a colleague, or wait again. */
export async function handOverAccepted(ctx: Ctx, tx: Tx, handover: Handover): Promise<void> {
  const isAccepted = ({ acceptedBy }: RequestRow) => acceptedBy === handover.from
  const accepted = (await requests.listOpen(tx.db, handover.restaurantId)).filter(isAccepted)
  // In the order in which all others lock them, but handed over with the oldest first.
  const ids = accepted.map(({ id }) => id)
  for (const row of (await transitions.lockOpen(tx.db, handover.restaurantId, ids)).filter(isAccepted)) {
    const updated = await (handover.to
      ? handOverTo(ctx, tx, row, handover.to)
      : releaseToCrew(ctx, tx, row, handover))
    if (updated) announceRequest(tx.announce, updated)
  }
}

async function handOverTo(
  ctx: Ctx,
  tx: Tx,
  row: RequestRow,
  to: { id: string; name: string },
): Promise<RequestRow | undefined> {
  const now = ctx.now()
  const { acceptMs } = await loadEscalationSettings(tx.db, row.restaurantId)
  const handed = await transitions.handOver(tx.db, row, to, now, now + acceptMs)
  if (!handed) return undefined
  // The event is attributed to the colleague who is on the way from now on.
  const receiver = { actorKind: 'crew' as const, actorId: to.id, actorName: to.name }
  recordEvent(ctx, tx, receiver, handed, 'handed_over')
  return handed
}

async function releaseToCrew(
  ctx: Ctx,
  tx: Tx,
  row: RequestRow,
  { by, toAllCrew = false }: Handover,
): Promise<RequestRow | undefined> {
  const level = toAllCrew ? Math.max(row.level, 1) : row.level
  const times = await escalationTimes(ctx, tx.db, { ...row, level })
  const released = await transitions.release(tx.db, row, { ...times, level })
  if (!released) return undefined
  await scheduleOutsideAlerts(ctx, tx.db, released)
  recordEvent(ctx, tx, by, released, 'released')
  return released
}

/** Reassigns requests that nobody has accepted to whoever looks after their table now. */
export async function reassignWaiting(ctx: Ctx, tx: Tx, restaurantId: string, today: string): Promise<void> {
  const crews = new Map<string, string>()
  for (const row of await requests.listOpen(tx.db, restaurantId)) {
    if (row.acceptedAt !== null || row.tableId === null) continue
    const crew = (await listCrewOnDuty(tx.db, restaurantId, row.tableId, today)).join(' ')
    if (crew !== row.crew) crews.set(row.id, crew)
  }
  for (const { id } of await transitions.lockOpen(tx.db, restaurantId, [...crews.keys()])) {
    const moved = await transitions.reassignCrew(tx.db, restaurantId, id, crews.get(id) ?? '')
    if (moved) announceRequest(tx.announce, moved)
  }
}
