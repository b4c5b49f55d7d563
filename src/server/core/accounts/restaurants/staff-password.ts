import type { StaffPassword, StaffPasswordState } from '#contract/accounts/devices.ts'
import * as logins from '../../../storage/accounts/logins.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import { read, write } from '../../transaction.ts'
import { publishSessionsChanged, requireGrantStillValid } from '../sessions/sessions.ts'
import { requireOwner } from '../sign-in/identity.ts'
import { queueKeyOf } from '../sign-in/login-throttle.ts'
import { refuseGuessablePassword } from '../sign-in/password-rules.ts'
import { restaurantOf } from './restaurants.ts'

export async function state(ctx: Ctx, actor: Actor): Promise<StaffPasswordState> {
  authorizeInRestaurant(actor, 'staffPassword.state')
  return { setAt: (await restaurantOf(read(ctx), actor)).staffPasswordSetAt }
}

/** The password that staff type at Restaurant Login. Devices that used the previous one have to sign in again. */
export async function set(ctx: Ctx, actor: Actor, { password }: StaffPassword): Promise<void> {
  authorizeInRestaurant(actor, 'staffPassword.set')
  const restaurant = await restaurantOf(read(ctx), actor)
  // Somebody at a browser that was left open must not find out the account's password by trying.
  await ctx.limits.take('staff-password', restaurant.id)
  const owner = await requireOwner(read(ctx), actor)
  refuseGuessablePassword(ctx, password, [restaurant.name, owner.email])
  if (await ctx.passwords.verify(owner.passwordHash, password, queueKeyOf(actor))) {
    throw invalid('Please choose one that is not your own password')
  }
  const staffPasswordHash = await ctx.passwords.hash(password, queueKeyOf(actor))
  await replacePassword(ctx, actor, restaurant, staffPasswordHash, async (db) => {
    await requireGrantStillValid(ctx, db, actor, 'staffPassword.set')
    // The owner may have changed their password to this very one meanwhile.
    if ((await owners.lock(db, owner.id))?.passwordHash !== owner.passwordHash) throw passwordChanged()
  })
}

/** From now on Restaurant Login accepts only the account's password. */
export async function remove(ctx: Ctx, actor: Actor): Promise<void> {
  authorizeInRestaurant(actor, 'staffPassword.remove')
  const restaurant = await restaurantOf(read(ctx), actor)
  if (restaurant.staffPasswordHash === null) throw notFound('Staff password')
  await replacePassword(ctx, actor, restaurant, null)
}

async function replacePassword(
  ctx: Ctx,
  actor: Actor,
  restaurant: restaurants.Restaurant,
  staffPasswordHash: string | null,
  check?: (db: Db) => Promise<void>,
): Promise<void> {
  await write(ctx, async ({ db, afterCommit }) => {
    await check?.(db)
    if (!(await restaurants.setStaffPassword(db, restaurant, staffPasswordHash, ctx.now())))
      throw passwordChanged()
    const ended = await logins.endByStaffPassword(db, restaurant.id)
    const action = staffPasswordHash === null ? 'staffPassword.remove' : 'staffPassword.set'
    await audit.record(ctx, db, actor, restaurant.id, action, { devicesSignedOut: ended.length })
    afterCommit(() => {
      publishSessionsChanged(ctx, ended)
      logSecurityEvent(ctx, actor, 'credential-changed', { what: 'staff password', ended: ended.length })
    })
  })
}

const passwordChanged = () => conflict('The password was changed a moment ago. Please try again.')
