import * as crew from '../../storage/crew.ts'
import * as pushSubscriptions from '../../storage/push-subscriptions.ts'
import * as roleCalls from '../../storage/role-calls.ts'
import type { CallRow } from '../../storage/role-calls.ts'
import type { Ctx } from '../ports.ts'
import { callNotification, callWithdrawal } from './notifications.ts'

/** Screens repeat a call until somebody claims it; devices are sent only the first few. */
const maxPushes = 3

/** Notifies everybody of the role but the caller. Call it after the commit. */
export function notifyCall(ctx: Ctx, row: CallRow): void {
  const { restaurantId, id, role, fromId } = row
  if (row.alerts > maxPushes) return
  ctx.pusher.sendInBackground(restaurantId, async (db) => {
    if (!(await roleCalls.lockUnclaimed(db, restaurantId, id))) return []
    const members = await crew.list(db, restaurantId)
    const ids = members.filter((member) => member.role === role && member.id !== fromId).map(({ id }) => id)
    const devices = await pushSubscriptions.listForCrew(db, restaurantId, ctx.now(), ids)
    return ctx.pusher.notify(db, restaurantId, devices, callNotification(row))
  })
}

export function withdrawCall(ctx: Ctx, row: CallRow): void {
  ctx.pusher.sendInBackground(row.restaurantId, (db) =>
    ctx.pusher.withdraw(db, row.restaurantId, callWithdrawal(row)),
  )
}
