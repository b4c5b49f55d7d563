import type {
  CurrentUser,
  SecondFactorLogin,
  UsernameLogin,
  RestaurantSetup,
  RestaurantSignup,
  SignedInCrew,
  SignedInRestaurant,
  StaffSession,
} from '#contract/accounts.ts'
import { nameKey } from '#contract/primitives.ts'
import * as crew from '../../storage/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as floor from '../../storage/floor.ts'
import * as owners from '../../storage/owners.ts'
import * as restaurants from '../../storage/restaurants.ts'
import { type Actor, grantKinds, requireGrant } from '../actor.ts'
import { authorize } from '../authorize.ts'
import { isActive } from '../billing/billing.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { type Account, findProof, rememberAccount } from './device-cookies.ts'
import { conflict, invalid, Refusal, unauthenticated } from '../errors.ts'
import { consumeNewNameLimits, nameTaken, refuseReserved } from './restaurants.ts'
import * as secondFactor from './second-factor.ts'
import * as sessions from './sessions.ts'
import type { SignedIn } from './sessions.ts'
import { ownerAccount, withThrottle, queueKeyOf, unknownAccount } from './login-throttle.ts'

export const invalidCredentials = () => unauthenticated('Invalid credentials')

/** Makes a restaurant with its owner; this browser is then the owner's and one of the restaurant's devices. */
export async function signUp(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, email, password, timeZone = 'UTC' }: RestaurantSignup,
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'accounts.signUp')
  await ctx.limits.take('login-address', actor.address)
  refuseReserved(restaurantName)
  refuseGuessablePassword(ctx, password, [restaurantName, email])
  if (await restaurants.findByName(read(ctx), restaurantName)) throw nameTaken()
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
  const cookie = await write(ctx, async (db) => {
    const restaurantId = await createRestaurant(ctx, db, restaurantName, timeZone)
    await owners.insert(db, { ...owner, restaurantId })
    return sessions.signIn(ctx, db, actor, restaurantId, [
      { kind: 'owner', subjectId: owner.id },
      { kind: 'device', subjectId: restaurantId },
    ])
  })
  return { cookie, deviceCookie: rememberAccount(ctx, actor, ownerAccount(owner)), reply: { restaurantName } }
}

/** A restaurant comes with its host stand. */
async function createRestaurant(ctx: Ctx, db: Db, name: string, timeZone: string): Promise<string> {
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

/** What everybody would try here first, beside the names of the restaurant and of whoever it is for. */
const productWords = ['tableside', 'restaurant', 'waiter', 'manager', 'owner', 'admin']

/** So many digits and signs around a name make a password that is hard to guess. */
const minExtraCharacters = 8

/** Refuses common passwords, whole names, and such a word or name with little but digits and signs around it. */
export function refuseGuessablePassword(ctx: Ctx, password: string, names: string[]): void {
  const words = [...names, ...names.map((name) => name.replace(/@.*/u, '')), ...productWords].map(lettersOf)
  const letters = lettersOf(password)
  const isNearName = words.includes(letters) && password.length - letters.length < minExtraCharacters
  const isName = names.some((name) => nameKey(name) === nameKey(password))
  if (ctx.passwords.isCommon(password) || isName || isNearName) {
    throw invalid('Please choose a password that is harder to guess')
  }
}

/** A name without letters is compared as it stands. */
const lettersOf = (text: string): string => {
  const key = nameKey(text)
  return key.replaceAll(/[^\p{L}\p{M}]/gu, '') || key
}

/** Admin Login: the owner's e-mail address or restaurant name, with the account's password. */
export async function ownerLogin(
  ctx: Ctx,
  actor: Actor,
  { username, password, code }: SecondFactorLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'accounts.ownerLogin')
  const owner = await authenticateOwner(ctx, actor, username, password)
  const subject = { restaurantId: owner.restaurantId ?? '', kind: 'owner' as const, id: owner.id }
  const { proved, deviceCookie } = await secondFactor.verifySecondFactor(
    ctx,
    actor,
    subject,
    ownerAccount(owner),
    code,
  )
  return write(ctx, async (db) => {
    const { id, restaurantId } = await lockOwner(db, owner)
    await secondFactor.requireSecondFactorVerified(db, subject, proved)
    const restaurant = restaurantId === null ? undefined : await restaurants.findById(db, restaurantId)
    const cookie = await sessions.signIn(ctx, db, actor, restaurantId, [{ kind: 'owner', subjectId: id }])
    return { cookie, deviceCookie, reply: { restaurantName: restaurant?.name ?? '' } }
  })
}

/** The owner whose password was right, unless it was changed while it was checked. */
export async function lockOwner(db: Db, { id, passwordHash }: owners.Owner): Promise<owners.Owner> {
  const owner = await owners.lock(db, id)
  if (!owner || owner.passwordHash !== passwordHash) throw invalidCredentials()
  return owner
}

/**
 * An e-mail address may own several restaurants. Each is an account of its own: a word is counted for each that it
 * was wrong for, and where one has been tried too often the others may still be signed in to.
 */
async function authenticateOwner(
  ctx: Ctx,
  actor: Actor,
  username: string,
  password: string,
): Promise<owners.Owner> {
  const verify = (account: Account) =>
    withThrottle(ctx, actor, account, async (turn) => {
      if (!(await ctx.passwords.verify(account.secret, password, turn))) throw invalidCredentials()
    })
  const candidates = await findOwners(ctx, username)
  if (candidates.length === 0) await verify(unknownAccount(username))
  const isFamiliar = (owner: owners.Owner) => findProof(ctx, actor, ownerAccount(owner)) !== null
  const [familiar, others] = [candidates.filter(isFamiliar), candidates.filter((one) => !isFamiliar(one))]
  let refusal = invalidCredentials()
  for (const owner of [...familiar, ...others]) {
    try {
      await verify(ownerAccount(owner))
      return owner
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'rate_limited') refusal = error
      else if (error.code !== 'unauthenticated') throw error
    }
  }
  throw refusal
}

async function findOwners(ctx: Ctx, username: string): Promise<owners.Owner[]> {
  const restaurant = await restaurants.findByName(read(ctx), username)
  const named = restaurant && (await owners.findByRestaurant(read(ctx), restaurant.id))
  const byEmail = await owners.findByEmail(read(ctx), username)
  return named ? [named, ...byEmail.filter(({ id }) => id !== named.id)] : byEmail
}

/** A crew member's own login, which acts as that crew member and nobody else. */
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
  const { member, restaurant } = await withThrottle(ctx, actor, account, async (turn) => {
    const right = await ctx.passwords.verify(account.secret, password, turn)
    const restaurant = candidate && (await restaurants.findById(read(ctx), candidate.restaurantId))
    if (!restaurant || !right) throw invalidCredentials()
    return { member: candidate, restaurant }
  })
  const cookie = await write(ctx, async (db) => {
    const current = await crew.lock(db, restaurant.id, member.id)
    if (current?.passwordHash !== member.passwordHash || current.usernameKey !== member.usernameKey) {
      throw invalidCredentials()
    }
    return sessions.signIn(ctx, db, actor, restaurant.id, [{ kind: 'crew', subjectId: member.id }])
  })
  return {
    cookie,
    deviceCookie: rememberAccount(ctx, actor, account),
    reply: {
      restaurantId: restaurant.name,
      crewMemberId: member.id,
      crewMemberName: member.name,
      role: member.role,
    },
  }
}

export async function currentUser(ctx: Ctx, actor: Actor): Promise<CurrentUser> {
  authorize(actor, 'accounts.currentUser')
  return loadUser(ctx, read(ctx), actor)
}

async function loadUser(ctx: Ctx, db: Db, actor: Actor): Promise<CurrentUser> {
  const owner = await owners.findById(db, requireGrant(actor, 'owner').subjectId)
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
export async function getSession(ctx: Ctx, actor: Actor): Promise<StaffSession> {
  authorize(actor, 'accounts.session')
  const restaurant =
    actor.restaurantId === null ? undefined : await restaurants.findById(read(ctx), actor.restaurantId)
  return {
    restaurantName: restaurant?.name ?? null,
    grants: grantKinds(actor),
    crewMember: actor.crewMember,
  }
}

/** An owner who signed in without one names the restaurant, once. */
export async function setupRestaurant(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, timeZone = 'UTC' }: RestaurantSetup,
): Promise<CurrentUser> {
  authorize(actor, 'accounts.setupRestaurant')
  const { subjectId } = requireGrant(actor, 'owner')
  refuseReserved(restaurantName)
  if (actor.restaurantId === null) await consumeNewNameLimits(ctx, actor)
  return write(ctx, async (db) => {
    if (actor.restaurantId !== null) throw conflict('Your restaurant is set up already')
    const restaurantId = await createRestaurant(ctx, db, restaurantName, timeZone)
    if (!(await owners.assignRestaurant(db, subjectId, restaurantId))) {
      throw conflict('Your restaurant is set up already')
    }
    await sessions.requireGrantStillValid(ctx, db, actor, 'accounts.setupRestaurant')
    if (actor.sessionId !== null) await sessions.setRestaurant(db, actor.sessionId, restaurantId)
    return loadUser(ctx, db, actor)
  })
}
