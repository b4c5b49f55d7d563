import type {
  CurrentUser,
  NamedLogin,
  RestaurantLogin,
  RestaurantSetup,
  RestaurantSignup,
  SignedInCrew,
  SignedInRestaurant,
  StaffSession,
} from '#contract/accounts.ts'
import { nameKey } from '#contract/primitives.ts'
import * as crew from '../storage/crew.ts'
import type { Db } from '../storage/database.ts'
import * as floor from '../storage/floor.ts'
import * as owners from '../storage/owners.ts'
import * as restaurants from '../storage/restaurants.ts'
import { type Actor, grantOf, may } from './actor.ts'
import { isActive } from './billing.ts'
import { type Ctx, read, write } from './context.ts'
import { conflict, invalid, unauthenticated } from './errors.ts'
import { nameTaken, refuseReserved } from './restaurants.ts'
import * as sessions from './sessions.ts'
import type { SignedIn } from './sessions.ts'
import { throttled } from './throttle.ts'

const wrongCredentials = () => unauthenticated('Invalid credentials')

/** Makes a restaurant with its owner; this browser is then the owner's and one of the restaurant's devices. */
export async function signUp(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, email, password, timeZone = 'UTC' }: RestaurantSignup,
): Promise<SignedIn<SignedInRestaurant>> {
  may(actor, 'POST /api/restaurant-signup')
  await ctx.limits.take('login-address', actor.address)
  refuseReserved(restaurantName)
  refuseGuessable(ctx, password, [restaurantName, email])
  const passwordHash = await ctx.passwords.hash(password)
  const cookie = await write(ctx, async (db) => {
    const restaurantId = await found(ctx, db, restaurantName, timeZone)
    const ownerId = ctx.newId()
    await owners.insert(db, {
      id: ownerId,
      restaurantId,
      email,
      passwordHash,
      oidcIssuer: null,
      oidcSubject: null,
      createdAt: ctx.now(),
    })
    return sessions.signIn(ctx, db, actor, restaurantId, [
      { kind: 'owner', subjectId: ownerId },
      { kind: 'device', subjectId: restaurantId },
    ])
  })
  return { cookie, reply: { restaurantName } }
}

/** A restaurant comes with its host stand. */
async function found(ctx: Ctx, db: Db, name: string, timeZone: string): Promise<string> {
  const id = ctx.newId()
  const createdAt = ctx.now()
  const codeKey = ctx.secrets.newToken()
  if (
    !(await restaurants.insert(db, {
      id,
      name,
      timeZone,
      codeGeneration: 1,
      codeKey,
      managedSince: null,
      createdAt,
    }))
  ) {
    throw nameTaken()
  }
  await floor.insert(db, id, {
    id: ctx.newId(),
    tableNumber: 'Host Stand',
    category: 'host stand',
    createdAt,
  })
  return id
}

export function refuseGuessable(ctx: Ctx, password: string, names: string[]): void {
  const key = nameKey(password)
  if (ctx.passwords.isCommon(password) || names.some((name) => nameKey(name) === key)) {
    throw invalid('Please choose a password that is harder to guess')
  }
}

/** Gives this browser the crew portal of the restaurant. */
export async function restaurantLogin(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, password }: RestaurantLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  may(actor, 'POST /api/restaurant-login')
  const restaurant = await restaurants.findByName(read(ctx), restaurantName)
  // By whichever of its names it is called, the tries are counted together.
  const account = `restaurant:${restaurant?.id ?? nameKey(restaurantName)}`
  const { id, name } = await throttled(ctx, actor, account, async () => {
    const owner = restaurant && (await owners.findByRestaurant(read(ctx), restaurant.id))
    const right = await ctx.passwords.verify(owner?.passwordHash ?? null, password)
    if (!restaurant || !right) throw wrongCredentials()
    return restaurant
  })
  const cookie = await write(ctx, (db) =>
    sessions.signIn(ctx, db, actor, id, [{ kind: 'device', subjectId: id }]),
  )
  return { cookie, reply: { restaurantName: name } }
}

/** Admin Login: the owner's e-mail address or restaurant name, with the account's password. */
export async function ownerLogin(
  ctx: Ctx,
  actor: Actor,
  { username, password }: NamedLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  may(actor, 'POST /api/demo-login')
  const owner = await throttled(ctx, actor, `owner:${nameKey(username)}`, () =>
    verifiedOwner(ctx, username, password),
  )
  const restaurant =
    owner.restaurantId === null ? undefined : await restaurants.findById(read(ctx), owner.restaurantId)
  const cookie = await write(ctx, (db) =>
    sessions.signIn(ctx, db, actor, owner.restaurantId, [{ kind: 'owner', subjectId: owner.id }]),
  )
  return { cookie, reply: { restaurantName: restaurant?.name ?? '' } }
}

async function verifiedOwner(ctx: Ctx, username: string, password: string): Promise<owners.Owner> {
  const restaurant = await restaurants.findByName(read(ctx), username)
  const named = restaurant && (await owners.findByRestaurant(read(ctx), restaurant.id))
  const candidates = [...(named ? [named] : []), ...(await owners.findByEmail(read(ctx), username))]
  if (candidates.length === 0) await ctx.passwords.verify(null, password)
  for (const owner of candidates) if (await ctx.passwords.verify(owner.passwordHash, password)) return owner
  throw wrongCredentials()
}

/** A crew member's own login, which acts as that crew member and nobody else. */
export async function crewLogin(
  ctx: Ctx,
  actor: Actor,
  { username, password }: NamedLogin,
): Promise<SignedIn<SignedInCrew>> {
  may(actor, 'POST /api/waiter-login')
  const { member, restaurant } = await throttled(ctx, actor, `crew:${nameKey(username)}`, async () => {
    const member = await crew.findByUsername(read(ctx), username)
    const right = await ctx.passwords.verify(member?.passwordHash ?? null, password)
    const restaurant = member && (await restaurants.findById(read(ctx), member.restaurantId))
    if (!restaurant || !right) throw wrongCredentials()
    return { member, restaurant }
  })
  const cookie = await write(ctx, (db) =>
    sessions.signIn(ctx, db, actor, restaurant.id, [{ kind: 'crew', subjectId: member.id }]),
  )
  return {
    cookie,
    reply: {
      restaurantId: restaurant.name,
      crewMemberId: member.id,
      crewMemberName: member.name,
      role: member.role,
    },
  }
}

export async function currentUser(ctx: Ctx, actor: Actor): Promise<CurrentUser> {
  may(actor, 'GET /api/auth/user')
  return userOf(ctx, read(ctx), actor)
}

async function userOf(ctx: Ctx, db: Db, actor: Actor): Promise<CurrentUser> {
  const owner = await owners.findById(db, grantOf(actor, 'owner').subjectId)
  if (!owner) throw unauthenticated()
  const restaurant =
    owner.restaurantId === null ? undefined : await restaurants.findById(db, owner.restaurantId)
  return {
    restaurantName: restaurant?.name ?? null,
    email: owner.email,
    subscriptionStatus: restaurant && (await isActive(ctx, db, restaurant.id)) ? 'active' : 'inactive',
  }
}

/** What this browser is signed in to. */
export async function session(ctx: Ctx, actor: Actor): Promise<StaffSession> {
  may(actor, 'GET /api/session')
  const restaurant =
    actor.restaurantId === null ? undefined : await restaurants.findById(read(ctx), actor.restaurantId)
  return {
    restaurantName: restaurant?.name ?? null,
    grants: [...actor.grants.keys()],
    crewMember: actor.crewMember,
  }
}

/** An owner who signed in without one names the restaurant, once. */
export async function setupRestaurant(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, timeZone = 'UTC' }: RestaurantSetup,
): Promise<CurrentUser> {
  may(actor, 'POST /api/auth/setup-restaurant')
  const { subjectId } = grantOf(actor, 'owner')
  refuseReserved(restaurantName)
  return write(ctx, async (db) => {
    if (actor.restaurantId !== null) throw conflict('Your restaurant is set up already')
    const restaurantId = await found(ctx, db, restaurantName, timeZone)
    if (!(await owners.giveRestaurant(db, subjectId, restaurantId))) {
      throw conflict('Your restaurant is set up already')
    }
    if (actor.sessionId !== null) await sessions.setRestaurant(db, actor.sessionId, restaurantId)
    return userOf(ctx, db, actor)
  })
}
