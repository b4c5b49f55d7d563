import * as crew from '../../storage/crew.ts'
import * as devices from '../../storage/push-subscriptions.ts'
import * as shift from '../../storage/shift.ts'
import type { CallRow } from '../../storage/shift.ts'
import type { Ctx } from '../ports.ts'
import { callNotification, callWithdrawal } from './notifications.ts'

/** A call alerts on screens until it is claimed; whoever did not come after so many pushes has seen them. */
const maxPushes = 3

/** To be called after the commit: everybody of the role but the caller. */
export function notifyCall(ctx: Ctx, row: CallRow): void {
  const { restaurantId, id, role, fromId } = row
  if (!ctx.hasDevices(restaurantId) || row.alerts > maxPushes) return
  ctx.background(() =>
    ctx.pusher.storeAndSend(async (db) => {
      if (!(await shift.lockUnclaimed(db, restaurantId, id))) return []
      const members = (await crew.list(db, restaurantId)).filter(
        (one) => one.role === role && one.id !== fromId,
      )
      const ids = members.map(({ id }) => id)
      const to = await devices.listForCrew(db, restaurantId, ctx.now(), ids)
      return ctx.pusher.notify(db, restaurantId, to, callNotification(row))
    }),
  )
}

export function withdrawCall(ctx: Ctx, row: CallRow): void {
  const { restaurantId } = row
  if (!ctx.hasDevices(restaurantId)) return
  ctx.background(() =>
    ctx.pusher.storeAndSend((db) => ctx.pusher.withdraw(db, restaurantId, callWithdrawal(row))),
  )
}
