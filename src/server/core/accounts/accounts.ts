import {
  chooseRestaurantMessage,
  type OwnerLogin,
  type UsernameLogin,
  type RestaurantSetup,
  type RestaurantSignup,
} from '#contract/accounts/account-forms.ts'
import type {
  CurrentUser,
  SignedInCrew,
  SignedInRestaurant,
  StaffSession,
} from '#contract/accounts/signed-in.ts'
import * as managers from '../../storage/accounts/managers.ts'
import * as memberships from '../../storage/accounts/memberships.ts'
import * as owners from '../../storage/accounts/owners.ts'
import * as endings from '../../storage/accounts/restaurant-endings.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import { setRestaurant } from '../../storage/accounts/sessions.ts'
import * as crew from '../../storage/crew/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import { type Actor, findGrant, grantKinds } from '../actor.ts'
import { authorize, requireGrant } from '../authorize.ts'
import { isActive } from '../billing/billing.ts'
import { compareNames } from '../collation.ts'
import type { Ctx } from '../ctx.ts'
import { conflict, invalidCredentials, Refusal } from '../errors.ts'
import { read, write } from '../transaction.ts'
import { rememberAccount } from './devices/device-cookies.ts'
import { createRestaurant } from './restaurants/restaurant-creation.ts'
import { consumeNewNameLimits, nameTakenBy, refuseReserved } from './restaurants/restaurant-names.ts'
import * as sessions from './sessions/sessions.ts'
import type { SignedIn } from './sessions/sessions.ts'
import { requireOwner } from './sign-in/identity.ts'
import {
  type Account,
  findOwners,
  lockOwner,
  ownerAccount,
  unknownAccount,
} from './sign-in/login-accounts.ts'
import { queueKeyOf, verifyPassword } from './sign-in/login-throttle.ts'
import { refuseGuessablePassword } from './sign-in/password-rules.ts'
import * as secondFactor from './sign-in/second-factor.ts'

/**
 * Creates a restaurant and its owner, and signs the browser in as that owner and as a device of the restaurant.
 * `also` is done in the same transaction.
 */
export async function signUp(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, email, password, timeZone = 'UTC' }: RestaurantSignup,
  also: (db: Db, restaurantId: string) => Promise<void> = async () => {},
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'accounts.signUp')
  await ctx.limits.take('login-address', actor.address)
  refuseReserved(restaurantName)
  refuseGuessablePassword(ctx, password, [restaurantName, email])
  if (await restaurants.findByName(read(ctx), restaurantName))
    throw await nameTakenBy(read(ctx), restaurantName)
  await consumeNewNameLimits(ctx, actor)
  const passwordHash = await ctx.passwords.hash(password, queueKeyOf(actor))
  const owner: Omit<owners.Owner, 'emailKey'> = {
    id: ctx.newId(),
    restaurantId: null,
    email,
    passwordHash,
    oidcIssuer: null,
    oidcSubject: null,
    createdAt: ctx.now(),
  }
  const cookie = await write(ctx, async (tx) => {
    const restaurantId = await createRestaurant(ctx, tx.db, restaurantName, timeZone)
    await owners.insert(tx.db, { ...owner, restaurantId })
    await also(tx.db, restaurantId)
    return sessions.signIn(ctx, tx, actor, restaurantId, [
      { kind: 'owner', subjectId: owner.id },
      { kind: 'device', subjectId: restaurantId },
    ])
  })
  return { cookie, deviceCookie: rememberAccount(ctx, actor, ownerAccount(owner)), reply: { restaurantName } }
}

/** Admin Login: the owner's e-mail address or restaurant name, with the account's password. */
export async function ownerLogin(
  ctx: Ctx,
  actor: Actor,
  { code, ...login }: OwnerLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'accounts.ownerLogin')
  const owner = await authenticateOwner(ctx, actor, login)
  const subject = { restaurantId: owner.restaurantId ?? '', kind: 'owner' as const, id: owner.id }
  const { proved, deviceCookie } = await secondFactor.verifySecondFactor(
    ctx,
    actor,
    subject,
    ownerAccount(owner),
    code,
  )
  return write(ctx, async (tx) => {
    const locked = await lockOwner(tx.db, owner)
    await secondFactor.requireSecondFactorVerified(tx.db, subject, proved)
    const restaurantId = await restaurantEntered(tx.db, locked, login)
    const restaurant = restaurantId === null ? undefined : await restaurants.findById(tx.db, restaurantId)
    const grant = { kind: 'owner', subjectId: locked.id } as const
    const cookie = await sessions.signIn(ctx, tx, actor, restaurantId, [grant])
    return { cookie, deviceCookie, reply: { restaurantName: restaurant?.name ?? '' } }
  })
}

/** An owner of several who gives the name of one enters that one, else their home. */
async function restaurantEntered(
  db: Db,
  { id, restaurantId: home }: owners.Owner,
  { username, restaurantName }: Pick<OwnerLogin, 'username' | 'restaurantName'>,
): Promise<string | null> {
  const named = await restaurants.findIdByName(db, restaurantName ?? username)
  return named !== undefined && (await memberships.owns(db, id, named)) ? named : home
}

/**
 * One e-mail address may own several restaurants, each an account of its own: a wrong password counts for all of
 * them, and when one is locked the others still let their owner in. Where it is right for several, they are asked.
 */
async function authenticateOwner(
  ctx: Ctx,
  actor: Actor,
  { username, password, restaurantName }: Omit<OwnerLogin, 'code'>,
): Promise<owners.Owner> {
  const found = await findOwners(read(ctx), username)
  const candidates =
    restaurantName === undefined ? found : await filterByRestaurant(read(ctx), found, restaurantName)
  if (candidates.length === 0) await verifyPassword(ctx, actor, unknownAccount(username), password)
  const named = await restaurants.findIdByName(read(ctx), username)
  let refusal = invalidCredentials()
  const matches: owners.Owner[] = []
  for (const owner of candidates) {
    try {
      const isNamed = named !== undefined && owner.restaurantId === named
      await verifyPassword(ctx, actor, { ...ownerAccount(owner), isNamed }, password)
      matches.push(owner)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'rate_limited') refusal = error
      else if (error.code !== 'unauthenticated') throw error
    }
  }
  const [owner, ...others] = matches
  if (!owner) throw refusal
  if (others.length > 0) throw await restaurantRequired(read(ctx), matches)
  return owner
}

async function filterByRestaurant(db: Db, found: owners.Owner[], name: string): Promise<owners.Owner[]> {
  // Also one that is deleted: its owner may restore it.
  const restaurantId = await restaurants.findIdByName(db, name)
  const owner = restaurantId === undefined ? undefined : await owners.findByRestaurant(db, restaurantId)
  return found.filter(({ id }) => id === owner?.id)
}

async function restaurantRequired(db: Db, matches: readonly owners.Owner[]): Promise<Refusal> {
  const owned = await Promise.all(matches.map(({ id }) => memberships.list(db, id)))
  const names = owned.flat().map(({ name }) => name)
  return new Refusal('restaurant_required', chooseRestaurantMessage, {
    restaurants: names.toSorted(compareNames),
  })
}

/** A crew member's own login: the screen acts as that crew member and nobody else. */
export async function crewLogin(
  ctx: Ctx,
  actor: Actor,
  { username, password }: UsernameLogin,
): Promise<SignedIn<SignedInCrew>> {
  authorize(actor, 'accounts.crewLogin')
  const candidate = await crew.findByUsername(read(ctx), username)
  const account: Account = candidate
    ? { key: `crew ${candidate.id}`, secret: candidate.passwordHash }
    : unknownAccount(username)
  await verifyPassword(ctx, actor, account, password)
  const restaurant = candidate && (await restaurants.findById(read(ctx), candidate.restaurantId))
  if (!restaurant) throw invalidCredentials()
  const cookie = await write(ctx, async (tx) => {
    const current = await crew.lock(tx.db, restaurant.id, candidate.id)
    if (current?.passwordHash !== candidate.passwordHash || current.usernameKey !== candidate.usernameKey) {
      throw invalidCredentials()
    }
    return sessions.signIn(ctx, tx, actor, restaurant.id, [{ kind: 'crew', subjectId: candidate.id }])
  })
  return {
    cookie,
    deviceCookie: rememberAccount(ctx, actor, account),
    reply: {
      restaurantId: restaurant.name,
      crewMemberId: candidate.id,
      crewMemberName: candidate.name,
      role: candidate.role,
    },
  }
}

export async function currentUser(ctx: Ctx, actor: Actor): Promise<CurrentUser> {
  authorize(actor, 'accounts.currentUser')
  return loadUser(ctx, read(ctx), actor)
}

async function loadUser(ctx: Ctx, db: Db, actor: Actor): Promise<CurrentUser> {
  const owner = await requireOwner(db, actor)
  const restaurantId = actor.restaurantId ?? owner.restaurantId
  const restaurant = restaurantId === null ? undefined : await restaurants.findById(db, restaurantId)
  return {
    restaurantName: restaurant?.name ?? null,
    email: owner.email,
    subscriptionStatus: restaurant && (await isActive(ctx, db, restaurant.id)) ? 'active' : 'inactive',
    ...((await memberships.list(db, owner.id)).length > 1 && { ownsSeveral: true }),
  }
}

/** What this browser is signed in to. */
export async function session(ctx: Ctx, actor: Actor): Promise<StaffSession> {
  authorize(actor, 'accounts.session')
  const restaurant =
    actor.restaurantId === null ? undefined : await restaurants.findById(read(ctx), actor.restaurantId)
  const grant = findGrant(actor, 'manager')
  const manager = grant && restaurant && (await managers.find(read(ctx), restaurant.id, grant.subjectId))
  const ending = restaurant && (await endings.find(read(ctx), restaurant.id))
  return {
    restaurantName: restaurant?.name ?? null,
    grants: grantKinds(actor),
    crewMember: actor.crewMember,
    ...(manager && { manager: { username: manager.username } }),
    ...(ending?.kind === 'deleted' && { eraseAt: Math.max(ending.eraseAt, ctx.now()) }),
  }
}

/** An owner who signed in without a restaurant creates it, once. */
export async function setupRestaurant(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, timeZone = 'UTC' }: RestaurantSetup,
): Promise<CurrentUser> {
  authorize(actor, 'accounts.setupRestaurant')
  const { subjectId } = requireGrant(actor, 'owner')
  refuseReserved(restaurantName)
  if (actor.restaurantId === null) await consumeNewNameLimits(ctx, actor)
  return write(ctx, async ({ db }) => {
    if (actor.restaurantId !== null) throw conflict('Your restaurant is set up already')
    const restaurantId = await createRestaurant(ctx, db, restaurantName, timeZone)
    if (!(await owners.assignRestaurant(db, subjectId, restaurantId))) {
      throw conflict('Your restaurant is set up already')
    }
    await sessions.requireGrantStillValid(ctx, db, actor, 'accounts.setupRestaurant')
    // In all their browsers: none can do anything without a restaurant any more.
    await setRestaurant(db, subjectId, restaurantId)
    return loadUser(ctx, db, actor)
  })
}
