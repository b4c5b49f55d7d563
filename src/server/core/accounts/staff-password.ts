import type { StaffPassword, StaffPasswordState } from '#contract/devices.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as owners from '../../storage/owners.ts'
import * as restaurants from '../../storage/restaurants.ts'
import * as signedIn from '../../storage/logins.ts'
import { refuseGuessablePassword } from './accounts.ts'
import { type Actor, requireGrant } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import { afterCommit, read, write } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import { conflict, invalid, notFound, unauthenticated } from '../errors.ts'
import { restaurantOf } from './restaurants.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { requireGrantStillValid, publishSessionsChanged } from './sessions.ts'
import { queueKeyOf } from './login-throttle.ts'

export async function getState(ctx: Ctx, actor: Actor): Promise<StaffPasswordState> {
  authorizeInRestaurant(actor, 'staffPassword.state')
  return { setAt: (await restaurantOf(read(ctx), actor)).staffPasswordSetAt }
}

/** What staff type at Restaurant Login from now on. Devices that came by the one before sign in anew. */
export async function set(ctx: Ctx, actor: Actor, { password }: StaffPassword): Promise<void> {
  authorizeInRestaurant(actor, 'staffPassword.set')
  const restaurant = await restaurantOf(read(ctx), actor)
  // Whoever sits at a browser that was left open must not find the account's password out by it.
  await ctx.limits.take('staff-password', restaurant.id)
  const owner = await owners.findById(read(ctx), requireGrant(actor, 'owner').subjectId)
  if (!owner) throw unauthenticated()
  refuseGuessablePassword(ctx, password, [restaurant.name, owner.email])
  if (await ctx.passwords.verify(owner.passwordHash, password, queueKeyOf(actor))) {
    throw invalid('Please choose one that is not your own password')
  }
  const staffPasswordHash = await ctx.passwords.hash(password, queueKeyOf(actor))
  await replacePassword(ctx, actor, restaurant, staffPasswordHash, async (db) => {
    await requireGrantStillValid(ctx, db, actor, 'staffPassword.set')
    // It is no secret from staff once it is the account's, too.
    if ((await owners.lock(db, owner.id))?.passwordHash !== owner.passwordHash) throw passwordChanged()
  })
}

/** Restaurant Login takes the account's password alone again. */
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
  await write(ctx, async (db) => {
    await check?.(db)
    if (!(await restaurants.setStaffPassword(db, restaurant, staffPasswordHash, ctx.now())))
      throw passwordChanged()
    const ended = await signedIn.endByStaffPassword(db, restaurant.id)
    const action = staffPasswordHash === null ? 'staffPassword.remove' : 'staffPassword.set'
    await audit.record(ctx, db, actor, restaurant.id, action, { devicesSignedOut: ended.length })
    afterCommit(() => {
      publishSessionsChanged(ctx, ended)
      logSecurityEvent(ctx, actor, 'credential-changed', { what: 'staff password', ended: ended.length })
    })
  })
}

const passwordChanged = () => conflict('The password was changed a moment ago. Please try again.')
