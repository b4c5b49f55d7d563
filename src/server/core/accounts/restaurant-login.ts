import type { RestaurantLogin, SignedInRestaurant } from '#contract/accounts.ts'
import * as owners from '../../storage/owners.ts'
import * as restaurants from '../../storage/restaurants.ts'
import { lockOwner, invalidCredentials } from './accounts.ts'
import type { Actor } from '../actor.ts'
import { authorize } from '../authorize.ts'
import type { Ctx, QueueKey } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { type Account, findProof, rememberAccount } from './device-cookies.ts'
import { Refusal } from '../errors.ts'
import { type SignedIn, signIn } from './sessions.ts'
import { ownerAccount, withThrottle, unknownAccount } from './login-throttle.ts'

/**
 * Gives this browser the crew portal of the restaurant, for the staff password where the owner has set one, and
 * always for the account's own.
 */
export async function login(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, password }: RestaurantLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'accounts.restaurantLogin')
  const restaurant = await restaurants.findByName(read(ctx), restaurantName)
  const owner = restaurant && (await owners.findByRestaurant(read(ctx), restaurant.id))
  const via = await resolveSignInMethod(ctx, actor, { restaurant, owner, restaurantName, password })
  if (!restaurant || !owner) throw invalidCredentials()
  const { id, name, staffPasswordHash } = restaurant
  const cookie = await write(ctx, async (db) => {
    if (via === 'password') await lockOwner(db, owner)
    else if ((await restaurants.lock(db, id))?.staffPasswordHash !== staffPasswordHash)
      throw invalidCredentials()
    return signIn(ctx, db, actor, id, [{ kind: 'device', subjectId: id, via }])
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

/** Which of the two passwords it is. A device that knew the staff password before is shut out by nobody else. */
async function resolveSignInMethod(
  ctx: Ctx,
  actor: Actor,
  { restaurant, owner, restaurantName, password }: LoginAttempt,
): Promise<'password' | 'staff-password'> {
  const staff = restaurant && staffAccount(restaurant)
  if (staff && findProof(ctx, actor, staff) !== null && (await isStaffPassword(ctx, actor, staff, password)))
    return 'staff-password'
  const account = owner ? ownerAccount(owner) : unknownAccount(restaurantName)
  const verify = async (turn: QueueKey) => {
    // That a restaurant has a staff password may be told from the time it takes; it is no secret.
    if (staff && staff.secret !== null && (await ctx.passwords.verify(staff.secret, password, turn)))
      return 'staff-password'
    if (await ctx.passwords.verify(account.secret, password, turn)) return 'password'
    throw invalidCredentials()
  }
  return withThrottle(ctx, actor, account, verify, (via) => via === 'password')
}

async function isStaffPassword(ctx: Ctx, actor: Actor, account: Account, password: string): Promise<boolean> {
  try {
    return await withThrottle(ctx, actor, account, async (turn) => {
      if (!(await ctx.passwords.verify(account.secret, password, turn))) throw invalidCredentials()
      return true
    })
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unauthenticated') return false
    throw error
  }
}
