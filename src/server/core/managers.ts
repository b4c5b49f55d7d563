import type {
  AdminUser,
  HasCredentials,
  ManagementLogin,
  ManagerCredentials,
  ManagerSetup,
  SignedInRestaurant,
} from '#contract/accounts.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from '../storage/database.ts'
import * as managers from '../storage/managers.ts'
import type { Restaurant } from '../storage/restaurants.ts'
import { refuseGuessable } from './accounts.ts'
import { type Actor, may, mayIn } from './actor.ts'
import * as billing from './billing.ts'
import { type Ctx, read, write } from './context.ts'
import { conflict, forbidden, invalid, Refusal, unauthenticated } from './errors.ts'
import { agree, byName, of } from './restaurants.ts'
import * as sessions from './sessions.ts'
import type { SignedIn } from './sessions.ts'
import { throttled } from './throttle.ts'

const minutes = 60_000

export async function check(
  ctx: Ctx,
  actor: Actor,
  { restaurantName }: { restaurantName: string },
): Promise<HasCredentials> {
  const { restaurantId } = mayIn(actor, 'GET /api/check-manager-credentials/:restaurantName')
  await agree(ctx, read(ctx), restaurantId, restaurantName)
  return { hasCredentials: (await of(read(ctx), actor)).managedSince !== null }
}

/** The first manager of a restaurant, made by whoever just typed the restaurant's password, and signed in at once. */
export async function setUp(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, username, password }: ManagerSetup,
): Promise<SignedIn<SignedInRestaurant>> {
  const { restaurantId, right } = mayIn(actor, 'POST /api/setup-manager-credentials')
  if (right === 'recent') requireRecent(ctx, actor, 'device', 30 * minutes)
  refuseGuessable(ctx, password, [restaurantName, username])
  const passwordHash = await ctx.passwords.hash(password)
  return write(ctx, async (db) => {
    const restaurant = await agree(ctx, db, restaurantId, restaurantName)
    if (!(await managers.claimFirst(db, restaurantId, ctx.now())))
      throw conflict('Management credentials are set up already')
    const { id } = await set(ctx, db, restaurantId, username, passwordHash)
    const cookie = await sessions.signIn(ctx, db, actor, restaurantId, [{ kind: 'manager', subjectId: id }])
    return { cookie, reply: { restaurantName: restaurant.name } }
  })
}

export async function login(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, username, password }: ManagementLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  may(actor, 'POST /api/management-login')
  if (restaurantName === undefined && actor.restaurantId === null) {
    throw invalid('Please sign in to your restaurant first')
  }
  const restaurant =
    restaurantName === undefined ? await of(read(ctx), actor) : await known(ctx, restaurantName)
  // However the restaurant is named, the tries are counted together.
  const account = `manager:${restaurant?.id ?? nameKey(restaurantName ?? '')}:${nameKey(username)}`
  const { id, restaurantId } = await throttled(ctx, actor, account, async () => {
    const manager = restaurant && (await managers.findByUsername(read(ctx), restaurant.id, username))
    const right = await ctx.passwords.verify(manager?.passwordHash ?? null, password)
    if (!manager || !right) throw unauthenticated('Invalid credentials')
    return manager
  })
  const cookie = await write(ctx, (db) =>
    sessions.signIn(ctx, db, actor, restaurantId, [{ kind: 'manager', subjectId: id }]),
  )
  return { cookie, reply: { restaurantName: restaurant?.name ?? '' } }
}

/** A restaurant that does not exist is answered as a wrong password is. */
async function known(ctx: Ctx, name: string): Promise<Restaurant | undefined> {
  try {
    return await byName(ctx, read(ctx), name)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Adds a manager or changes a password; who signed in with the old one is signed out. */
export async function setCredentials(
  ctx: Ctx,
  actor: Actor,
  { username, password }: ManagerCredentials,
): Promise<void> {
  const { restaurantId, right } = mayIn(actor, 'POST /api/admin/manager-credentials')
  if (right === 'recent') requireRecent(ctx, actor, 'manager', 15 * minutes)
  const restaurant = await of(read(ctx), actor)
  refuseGuessable(ctx, password, [restaurant.name, username])
  const passwordHash = await ctx.passwords.hash(password)
  const ended = await write(ctx, async (db) => {
    await managers.claimFirst(db, restaurantId, ctx.now())
    const { id } = await set(ctx, db, restaurantId, username, passwordHash)
    return sessions.revoke(db, 'manager', id, actor)
  })
  sessions.tellChanged(ctx, ended)
}

const set = (ctx: Ctx, db: Db, restaurantId: string, username: string, passwordHash: string) =>
  managers.set(db, { restaurantId, id: ctx.newId(), username, passwordHash, setAt: ctx.now() })

function requireRecent(ctx: Ctx, actor: Actor, kind: 'device' | 'manager', withinMs: number): void {
  const grant = actor.grants.get(kind)
  if (!grant || grant.authAt < ctx.now() - withinMs) throw forbidden('Please sign in again to do that')
}

export async function currentUser(ctx: Ctx, actor: Actor): Promise<AdminUser> {
  const { restaurantId, right } = mayIn(actor, 'GET /api/admin/current-user')
  const db = read(ctx)
  const { name: restaurantName } = await of(db, actor)
  const managerUsername = (await managers.findCurrent(db, restaurantId))?.username ?? null
  if (right === 'reduced') return { restaurantName, managerUsername }
  const customerId = await billing.customerId(ctx, db, restaurantId)
  return {
    restaurantName,
    managerUsername,
    subscriptionStatus: (await billing.isActive(ctx, db, restaurantId)) ? 'active' : 'inactive',
    ...(customerId !== undefined && { customerId }),
  }
}
