import type { PushPayload } from '#contract/push.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { Outgoing } from '../../storage/push/push-deliveries.ts'
import * as pushDeliveries from '../../storage/push/push-deliveries.ts'
import type { Device } from '../../storage/push/push-subscriptions.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import * as requestNotifications from '../../storage/push/request-notifications.ts'
import {
  acceptanceShown,
  moveDue,
  pushAgain,
  reminderDue,
} from '../../storage/requests/request-transitions.ts'
import { presentTable, type RequestRow } from '../../storage/requests/requests.ts'
import type { Ctx } from '../ctx.ts'
import { read } from '../transaction.ts'
import { isReminder, requestNotification, requestWithdrawal } from './notifications.ts'

const batchSize = 200

/**
 * Brings what devices show in line with the requests of one restaurant, or of all. Each step is claimed in the
 * request's row in the transaction that stores its deliveries, so it happens once, whatever restarts and however many
 * nodes there are.
 */
export async function syncRequestNotifications(ctx: Ctx, restaurantId?: string): Promise<void> {
  const due = await requestNotifications.listDue(read(ctx), batchSize, restaurantId)
  await Promise.all(due.map((row) => ctx.pusher.storeAndSend((db) => syncRequest(ctx, db, row))))
}

async function syncRequest(ctx: Ctx, db: Db, row: RequestRow): Promise<Outgoing[]> {
  if (isReminderDue(row)) return sendReminder(ctx, db, row)
  const isWaiting = row.acceptedAt === null && row.closedAt === null
  const pushedLevel = isWaiting ? row.level : row.closedAt === null ? acceptanceShown : -1
  if (!(await requestNotifications.claim(db, row, pushedLevel))) return []
  if (!isWaiting) return ctx.pusher.withdraw(db, row.restaurantId, requestWithdrawal(row))
  const devices = await listDevices(ctx, db, row)
  return [
    ...(await withdrawOutdated(ctx, db, row, devices)),
    ...(await ctx.pusher.notify(db, row.restaurantId, devices, requestNotification(row, ctx.now()))),
  ]
}

/** Devices that it does not call, and that show it at a table that its party has left, or as somebody's. */
async function withdrawOutdated(
  ctx: Ctx,
  db: Db,
  row: RequestRow,
  called: readonly Device[],
): Promise<Outgoing[]> {
  if (row.pushedLevel !== pushAgain) return []
  const ids = new Set(called.map(({ id }) => id))
  const withdrawal = requestWithdrawal(row)
  const outdated = (await pushDeliveries.listByTag(db, row.restaurantId, withdrawal.tag)).filter(
    ({ subscriptionId, stays, payload }) => {
      if (stays !== 1 || ids.has(subscriptionId)) return false
      const { tableside }: PushPayload = JSON.parse(payload)
      const { tableNumber, state } = tableside.request ?? { tableNumber: presentTable(row), state: 'waiting' }
      return tableNumber !== presentTable(row) || state !== 'waiting'
    },
  )
  const showing = await pushDeliveries.withDevices(db, outdated)
  const devices = showing.map(({ device }) => device)
  return ctx.pusher.notify(db, row.restaurantId, devices, withdrawal)
}

const isReminderDue = ({ closedAt, acceptedAt, pushedLevel }: RequestRow): boolean =>
  closedAt === null && acceptedAt !== null && (pushedLevel === reminderDue || pushedLevel === moveDue)

/**
 * To whoever accepted the request: it is theirs now, its guest is still waiting, or has moved. Other devices stop showing
 * it.
 */
async function sendReminder(ctx: Ctx, db: Db, row: RequestRow): Promise<Outgoing[]> {
  const movedFrom = row.pushedLevel === moveDue ? await findShownTable(db, row) : null
  if (!(await requestNotifications.claim(db, row, acceptanceShown))) return []
  const { restaurantId, acceptedBy, level } = row
  const now = ctx.now()
  const crewMemberIds = acceptedBy === null ? undefined : [acceptedBy]
  const devices = await pushSubscriptions.listForCrew(db, restaurantId, now, crewMemberIds)
  // They have been told that the guest is still waiting, and a move changes nothing about that.
  if (level === 2 && isReminder(row) && movedFrom === null)
    devices.push(...(await pushSubscriptions.listForManagers(db, restaurantId, now)))
  const withdrawal = requestWithdrawal(row)
  // Silently, if it was there and back before anybody was told.
  const news = movedFrom === presentTable(row) ? withdrawal : requestNotification(row, now, movedFrom)
  return [
    ...(await ctx.pusher.withdraw(db, restaurantId, withdrawal)),
    ...(await ctx.pusher.notify(db, restaurantId, devices, news)),
  ]
}

/** Where devices say that it is, or else where it was asked for. */
async function findShownTable(db: Db, row: RequestRow): Promise<string> {
  const { tag } = requestWithdrawal(row)
  const tables = (await pushDeliveries.listByTag(db, row.restaurantId, tag)).flatMap(({ stays, payload }) => {
    const { tableside }: PushPayload = JSON.parse(payload)
    return stays === 1 && tableside.request ? tableside.request.tableNumber : []
  })
  return tables.find((table) => table !== presentTable(row)) ?? tables[0] ?? row.tableNumber
}

/** The devices of whom it calls, or of the table's own crew, at first; then those of all crew, then the managers' too. */
async function listDevices(ctx: Ctx, db: Db, row: RequestRow): Promise<Device[]> {
  const { restaurantId, crew, called, level } = row
  const now = ctx.now()
  if (level === 0 && called !== '') return listCalledDevices(ctx, db, row)
  const crewMemberIds = level === 0 && crew !== '' ? crew.split(' ') : undefined
  const devices = await pushSubscriptions.listForCrew(db, restaurantId, now, crewMemberIds)
  return level < 2
    ? devices
    : [...devices, ...(await pushSubscriptions.listForManagers(db, restaurantId, now))]
}

/** Devices that show it already are not alerted again. Devices without a name are, where a table is for everybody. */
async function listCalledDevices(ctx: Ctx, db: Db, row: RequestRow): Promise<Device[]> {
  const { restaurantId, crew, called } = row
  const crewMemberIds = called.split(' ')
  const devices = await pushSubscriptions.listForCrew(db, restaurantId, ctx.now(), crewMemberIds, {
    unnamed: crew === '',
  })
  const { tag } = requestNotification(row, ctx.now())
  const showing = (await pushDeliveries.listByTag(db, restaurantId, tag)).filter(({ stays }) => stays === 1)
  const ids = new Set(showing.map(({ subscriptionId }) => subscriptionId))
  return devices.filter(({ id }) => !ids.has(id))
}
