import { type NewRoleCall, type RoleCall, roleCallRepeatMs } from '#contract/crew/shift.ts'
import * as crew from '../../storage/crew/crew.ts'
import * as roleCalls from '../../storage/crew/role-calls.ts'
import type { CallRow } from '../../storage/crew/role-calls.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant, requireCrewMember } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { invalid, notFound } from '../errors.ts'
import { callNotification, callWithdrawal } from '../push/notifications.ts'
import { withdrawPush } from '../push/withdrawals.ts'
import { read, write } from '../transaction.ts'
import { requirePresent } from './present-member.ts'

/** Screens repeat a call until somebody claims it; devices are sent only the first few. */
const maxPushes = 3

/** Asks all crew of a role for help; the same call sent twice counts once. */
export async function send(ctx: Ctx, actor: Actor, input: NewRoleCall): Promise<RoleCall> {
  const { restaurantId } = authorizeInRestaurant(actor, 'roleCalls.send')
  const from = requireCrewMember(actor)
  const { call, stored } = await write(ctx, async ({ db, announce }) => {
    const now = ctx.now()
    const stored = await roleCalls.insert(db, {
      restaurantId,
      id: input.id ?? ctx.newId(),
      role: input.role,
      messageKey: input.messageKey,
      tableNumber: input.tableNumber,
      fromId: from.id,
      fromName: from.name,
      createdAt: now,
      alerts: 1,
      nextAlertAt: now + roleCallRepeatMs(1),
      claimedAt: null,
      claimedBy: null,
      claimedByName: null,
    })
    if (!stored) {
      const own = await roleCalls.find(db, restaurantId, input.id ?? '')
      if (own?.fromId !== from.id) throw invalid('Not a valid id')
      return { call: roleCalls.toCall(own), stored: null }
    }
    const call = roleCalls.toCall(stored)
    announce({ kind: 'staff', restaurantId }, { type: 'role-message', call })
    return { call, stored }
  })
  if (stored) notifyCall(ctx, stored)
  return call
}

/** "I do it." The first claim wins; a second one succeeds too, and learns who was first. */
export async function claim(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<RoleCall> {
  const { restaurantId } = authorizeInRestaurant(actor, 'roleCalls.claim')
  const member = requireCrewMember(actor)
  const by = { id: member.id, name: member.name }
  const row = await write(ctx, async (tx) => {
    await requirePresent(tx.db, restaurantId, member.id)
    const claimed = await roleCalls.claim(tx.db, restaurantId, id, ctx.now(), by)
    if (claimed) {
      tx.announce({ kind: 'staff', restaurantId }, { type: 'role-message-claimed', id, by })
      await withdrawPush(ctx, tx, restaurantId, callWithdrawal(claimed))
      return claimed
    }
    const row = await roleCalls.find(tx.db, restaurantId, id)
    if (!row) throw notFound('Message')
    return row
  })
  return roleCalls.toCall(row)
}

/** Calls that nobody has claimed alert again. */
export async function repeatUnclaimedCalls(ctx: Ctx): Promise<void> {
  const due = await roleCalls.listDue(read(ctx), ctx.now(), 200)
  await Promise.all(
    due.map(async (row) => {
      const repeated = await write(ctx, async ({ db, announce }) => {
        const alerted = await roleCalls.recordAlert(db, row, ctx.now() + roleCallRepeatMs(row.alerts + 1))
        if (!alerted) return undefined
        const { restaurantId } = alerted
        announce({ kind: 'staff', restaurantId }, { type: 'role-message', call: roleCalls.toCall(alerted) })
        return alerted
      })
      if (repeated) notifyCall(ctx, repeated)
    }),
  )
}

/** Notifies everybody of the role but the caller. */
function notifyCall(ctx: Ctx, row: CallRow): void {
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
