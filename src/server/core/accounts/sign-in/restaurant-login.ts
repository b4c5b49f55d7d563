import type { RestaurantLogin } from '#contract/accounts/account-forms.ts'
import type { SignedInRestaurant } from '#contract/accounts/signed-in.ts'
import type { QueueKey } from '../../../ports/sign-in.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Actor } from '../../actor.ts'
import { authorize } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { invalidCredentials } from '../../errors.ts'
import { read, write } from '../../transaction.ts'
import { findProof, rememberAccount } from '../devices/device-cookies.ts'
import { findForLogin } from '../restaurants/restaurants.ts'
import { type SignedIn, signIn } from '../sessions/sessions.ts'
import { type Account, lockOwner, ownerAccount, unknownAccount } from './login-accounts.ts'
import { isWrongCredential, verifyPassword, withThrottle } from './login-throttle.ts'

/** Opens the crew portal to this browser, with the owner's password or with the staff password if there is one. */
export async function restaurantLogin(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, password }: RestaurantLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'accounts.restaurantLogin')
  const restaurant = await findForLogin(ctx, restaurantName)
  const owner = restaurant && (await owners.findByRestaurant(read(ctx), restaurant.id))
  const via = await resolveSignInMethod(ctx, actor, { restaurant, owner, restaurantName, password })
  if (!restaurant || !owner) throw invalidCredentials()
  const { id, name, staffPasswordHash } = restaurant
  const cookie = await write(ctx, async (tx) => {
    if (via === 'password') await lockOwner(tx.db, owner)
    else if ((await restaurants.lock(tx.db, id))?.staffPasswordHash !== staffPasswordHash)
      throw invalidCredentials()
    return signIn(ctx, tx, actor, id, [{ kind: 'device', subjectId: id, via }])
  })
  const account = via === 'password' ? ownerAccount(owner) : staffAccount(restaurant)
  return { cookie, deviceCookie: rememberAccount(ctx, actor, account), reply: { restaurantName: name } }
}

const staffAccount = ({ id, staffPasswordHash }: restaurants.Restaurant): Account => ({
  key: `staff ${id}`,
  secret: staffPasswordHash,
})

type LoginAttempt = {
  restaurant: restaurants.Restaurant | undefined
  owner: owners.Owner | undefined
  restaurantName: string
  password: string
}

/** Tells which of the two passwords it is. Nobody can lock out a device that signed in with the staff password before. */
async function resolveSignInMethod(
  ctx: Ctx,
  actor: Actor,
  { restaurant, owner, restaurantName, password }: LoginAttempt,
): Promise<'password' | 'staff-password'> {
  const staff = restaurant && staffAccount(restaurant)
  if (staff && findProof(ctx, actor, staff) !== null && (await isStaffPassword(ctx, actor, staff, password)))
    return 'staff-password'
  const account = owner ? { ...ownerAccount(owner), isNamed: true } : unknownAccount(restaurantName)
  const verify = async (queueKey: QueueKey) => {
    // The time this takes reveals that there is a staff password, which need not be secret.
    if (staff && staff.secret !== null && (await ctx.passwords.verify(staff.secret, password, queueKey)))
      return 'staff-password'
    if (await ctx.passwords.verify(account.secret, password, queueKey)) return 'password'
    throw invalidCredentials()
  }
  return withThrottle(ctx, actor, account, verify, (via) => via === 'password')
}

async function isStaffPassword(ctx: Ctx, actor: Actor, account: Account, password: string): Promise<boolean> {
  try {
    await verifyPassword(ctx, actor, account, password)
    return true
  } catch (error) {
    if (isWrongCredential(error)) return false
    throw error
  }
}
