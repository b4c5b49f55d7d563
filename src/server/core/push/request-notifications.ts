import type { Db } from '../../storage/engine/types.ts'
import * as devices from '../../storage/push-subscriptions.ts'
import type { Outgoing } from '../../storage/push-deliveries.ts'
import * as pushed from '../../storage/request-notifications.ts'
import { reminderSent, reminderDue, type RequestRow } from '../../storage/requests.ts'
import type { Ctx } from '../ports.ts'
import { read } from '../transaction.ts'
import { isReminder, requestNotification, requestWithdrawal } from './notifications.ts'

const batchSize = 200

/**
 * Brings what devices show in line with the requests, of one restaurant or of all. Each step is claimed in the row
 * and stored with what it sends: it happens once, whatever restarts or however many nodes.
 */
export async function syncRequestNotifications(ctx: Ctx, restaurantId?: string): Promise<void> {
  const due = await pushed.listDue(read(ctx), batchSize, restaurantId)
  await Promise.all(due.map((row) => ctx.pusher.storeAndSend((db) => syncRequest(ctx, db, row))))
}

async function syncRequest(ctx: Ctx, db: Db, row: RequestRow): Promise<Outgoing[]> {
  if (isReminderDue(row)) return sendReminder(ctx, db, row)
  const isWaiting = row.acceptedAt === null && row.closedAt === null
  if (!(await pushed.claim(db, row, isWaiting ? row.level : -1))) return []
  if (!isWaiting) return ctx.pusher.withdraw(db, row.restaurantId, requestWithdrawal(row))
  const to = await listRecipients(ctx, db, row)
  return ctx.pusher.notify(db, row.restaurantId, to, requestNotification(row, ctx.now()))
}

const isReminderDue = ({ closedAt, acceptedAt, pushedLevel }: RequestRow): boolean =>
  closedAt === null && acceptedAt !== null && pushedLevel === reminderDue

/** Whoever is on the way hears that it is theirs now, or that the guest still waits; other devices show it no more. */
async function sendReminder(ctx: Ctx, db: Db, row: RequestRow): Promise<Outgoing[]> {
  if (!(await pushed.claim(db, row, reminderSent))) return []
  const { restaurantId, acceptedBy, level } = row
  const now = ctx.now()
  const to = await devices.listForCrew(db, restaurantId, now, acceptedBy === null ? undefined : [acceptedBy])
  if (level === 2 && isReminder(row)) to.push(...(await devices.listForManagers(db, restaurantId, now)))
  return [
    ...(await ctx.pusher.withdraw(db, restaurantId, requestWithdrawal(row))),
    ...(await ctx.pusher.notify(db, restaurantId, to, requestNotification(row, now))),
  ]
}

/** Its own crew, then all crew, then the managers too. */
async function listRecipients(ctx: Ctx, db: Db, { restaurantId, crew, level }: RequestRow) {
  const now = ctx.now()
  const own = level === 0 && crew !== '' ? crew.split(' ') : undefined
  const to = await devices.listForCrew(db, restaurantId, now, own)
  return level < 2 ? to : [...to, ...(await devices.listForManagers(db, restaurantId, now))]
}
