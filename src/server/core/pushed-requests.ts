import type { Db } from '../storage/types.ts'
import * as devices from '../storage/devices.ts'
import type { Outgoing } from '../storage/push-deliveries.ts'
import * as pushed from '../storage/pushed-requests.ts'
import { reminded, remindDue, type RequestRow } from '../storage/requests.ts'
import type { Ctx } from './ports.ts'
import { read } from './transaction.ts'
import { isReminder, requestNotice, requestWithdrawal } from './notices.ts'

const atOnce = 200

/**
 * Brings what devices show in line with the requests, of one restaurant or of all. Each step is claimed in the row
 * and stored with what it sends: it happens once, whatever restarts or however many nodes.
 */
export async function pushRequests(ctx: Ctx, restaurantId?: string): Promise<void> {
  const due = await pushed.due(read(ctx), atOnce, restaurantId)
  await Promise.all(due.map((row) => ctx.pusher.push((db) => step(ctx, db, row))))
}

async function step(ctx: Ctx, db: Db, row: RequestRow): Promise<Outgoing[]> {
  if (isToRemind(row)) return remind(ctx, db, row)
  const isWaiting = row.acceptedAt === null && row.closedAt === null
  if (!(await pushed.claim(db, row, isWaiting ? row.level : -1))) return []
  if (!isWaiting) return ctx.pusher.withdraw(db, row.restaurantId, requestWithdrawal(row))
  const to = await audienceOf(ctx, db, row)
  return ctx.pusher.alert(db, row.restaurantId, to, requestNotice(row, ctx.now()))
}

const isToRemind = ({ closedAt, acceptedAt, pushedLevel }: RequestRow): boolean =>
  closedAt === null && acceptedAt !== null && pushedLevel === remindDue

/** Whoever is on the way hears that it is theirs now, or that the guest still waits; other devices show it no more. */
async function remind(ctx: Ctx, db: Db, row: RequestRow): Promise<Outgoing[]> {
  if (!(await pushed.claim(db, row, reminded))) return []
  const { restaurantId, acceptedBy, level } = row
  const now = ctx.now()
  const to = await devices.ofCrew(db, restaurantId, now, acceptedBy === null ? undefined : [acceptedBy])
  if (level === 2 && isReminder(row)) to.push(...(await devices.ofManagers(db, restaurantId, now)))
  return [
    ...(await ctx.pusher.withdraw(db, restaurantId, requestWithdrawal(row))),
    ...(await ctx.pusher.alert(db, restaurantId, to, requestNotice(row, now))),
  ]
}

/** Its own crew, then all crew, then the managers too. */
async function audienceOf(ctx: Ctx, db: Db, { restaurantId, crew, level }: RequestRow) {
  const now = ctx.now()
  const own = level === 0 && crew !== '' ? crew.split(' ') : undefined
  const to = await devices.ofCrew(db, restaurantId, now, own)
  return level < 2 ? to : [...to, ...(await devices.ofManagers(db, restaurantId, now))]
}
