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
import * as owners from '../storage/owners.ts'
import type { Restaurant } from '../storage/restaurants.ts'
import { refuseGuessable } from './accounts.ts'
import { type Actor, grantOf, may, mayIn } from './actor.ts'
import { isActive } from './billing.ts'
import { type Ctx, read, write } from './context.ts'
import { conflict, forbidden, invalid, notFound, Refusal, unauthenticated } from './errors.ts'
import { agree, byName, of } from './restaurants.ts'
import * as sessions from './sessions.ts'
import type { SignedIn } from './sessions.ts'
import { customerIdOf } from './subscription-record.ts'
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
    if (!(await managers.claimFirst(db, restaurantId, { at: ctx.now(), byDevice: right === 'recent' })))
      throw conflict('Management credentials are set up already')
    const { id } = await managers.set(db, manager(ctx, restaurantId, username, passwordHash))
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

/**
 * Adds a manager or changes a password; who signed in with the old one is signed out. Who means to add one takes
 * no other's login over by it.
 */
export async function setCredentials(
  ctx: Ctx,
  actor: Actor,
  { username, password, meant }: ManagerCredentials,
): Promise<void> {
  const { restaurantId, right } = mayIn(actor, 'POST /api/admin/manager-credentials')
  if (right === 'recent') requireRecent(ctx, actor, 'manager', 15 * minutes)
  const restaurant = await of(read(ctx), actor)
  refuseGuessable(ctx, password, [restaurant.name, username])
  const passwordHash = await ctx.passwords.hash(password)
  const ended = await write(ctx, async (db) => {
    await managers.claimFirst(db, restaurantId, { at: ctx.now(), byDevice: false })
    const { id } = await keep(db, manager(ctx, restaurantId, username, passwordHash), meant)
    return sessions.revoke(db, 'manager', id, actor)
  })
  sessions.tellChanged(ctx, ended)
}

type Manager = Parameters<typeof managers.set>[1]

const manager = (ctx: Ctx, restaurantId: string, username: string, passwordHash: string): Manager => ({
  restaurantId,
  id: ctx.newId(),
  username,
  passwordHash,
  setAt: ctx.now(),
})

async function keep(db: Db, given: Manager, meant: ManagerCredentials['meant']): Promise<{ id: string }> {
  switch (meant) {
    case 'new': {
      const added = await managers.add(db, given)
      if (!added) throw conflict('This manager already exists')
      return added
    }
    case 'existing': {
      const changed = await managers.setPassword(db, given)
      if (!changed) throw notFound('Manager')
      return changed
    }
    case undefined:
      return managers.set(db, given)
  }
}

/** A manager who may not come any more. The first one's credentials are not up for grabs again by that. */
export async function remove(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = mayIn(actor, 'DELETE /api/admin/managers/:id')
  const ended = await write(ctx, async (db) => {
    if (!(await managers.remove(db, restaurantId, id))) throw notFound('Manager')
    return sessions.revoke(db, 'manager', id, null)
  })
  sessions.tellChanged(ctx, ended)
}

/** The owner has seen that a device set up the first manager. */
export async function dismissNotice(ctx: Ctx, actor: Actor): Promise<void> {
  const { restaurantId } = mayIn(actor, 'DELETE /api/admin/manager-notice')
  await write(ctx, (db) => managers.forgetDeviceSetUp(db, restaurantId))
}

function requireRecent(ctx: Ctx, actor: Actor, kind: 'device' | 'manager', withinMs: number): void {
  const grant = actor.grants.get(kind)
  if (!grant || grant.authAt < ctx.now() - withinMs) throw forbidden('Please sign in again to do that')
}

export async function currentUser(ctx: Ctx, actor: Actor): Promise<AdminUser> {
  const { restaurantId, right } = mayIn(actor, 'GET /api/admin/current-user')
  const db = read(ctx)
  const { name: restaurantName, deviceSetUpAt } = await of(db, actor)
  const all = await managers.list(db, restaurantId)
  const managerUsername = all[0]?.username ?? null
  if (right === 'reduced') return { restaurantName, managerUsername }
  const customerId = await customerIdOf(ctx, db, restaurantId)
  const owner = await owners.findById(db, grantOf(actor, 'owner').subjectId)
  return {
    restaurantName,
    managerUsername,
    subscriptionStatus: (await isActive(ctx, db, restaurantId)) ? 'active' : 'inactive',
    ...(customerId !== undefined && { customerId }),
    hasPassword: owner !== undefined && owner.passwordHash !== null,
    managers: all.map(({ id, username }) => ({ id, username })),
    ...(deviceSetUpAt !== null && { deviceSetUpAt }),
  }
}
