import type {
  AdminUser,
  HasCredentials,
  ManagementLogin,
  ManagerCredentials,
  ManagerSetup,
  SignedInRestaurant,
} from '#contract/accounts.ts'
import { nameKey } from '#contract/primitives.ts'
import * as authenticators from '../../storage/authenticators.ts'
import * as deviceCodes from '../../storage/device-codes.ts'
import * as managers from '../../storage/managers.ts'
import * as owners from '../../storage/owners.ts'
import * as passkeys from '../../storage/passkeys.ts'
import { removeCodes } from '../../storage/recovery.ts'
import { refuseGuessablePassword, invalidCredentials } from './accounts.ts'
import { type Actor, findGrant, requireGrant } from '../actor.ts'
import { authorize, authorizeInRestaurant } from '../authorize.ts'
import { isActive } from '../billing/billing.ts'
import * as audit from '../audit/audit.ts'
import { verifyPassword } from './identity-confirmation.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { rememberAccount } from './device-cookies.ts'
import { conflict, forbidden, invalid, notFound, recentSignInRequired } from '../errors.ts'
import { notifyOwner } from './owner-notices.ts'
import { requireSameRestaurant, findByName, restaurantOf } from './restaurants.ts'
import * as secondFactor from './second-factor.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import * as sessions from './sessions.ts'
import type { SignedIn } from './sessions.ts'
import { findCustomerId } from '../billing/subscription-sync.ts'
import { managerAccount, withThrottle, queueKeyOf } from './login-throttle.ts'

const passwordSignInRequired = 'Please sign in with the password of the account to do that'

export async function checkCredentials(
  ctx: Ctx,
  actor: Actor,
  { restaurantName }: { restaurantName: string },
): Promise<HasCredentials> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.check')
  await requireSameRestaurant(ctx, read(ctx), restaurantId, restaurantName)
  return { hasCredentials: (await restaurantOf(read(ctx), actor)).managedSince !== null }
}

/** The first manager of a restaurant, made by whoever just typed the restaurant's password, and signed in at once. */
export async function setUp(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, username, password }: ManagerSetup,
): Promise<SignedIn<SignedInRestaurant>> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.setup')
  const byDevice = !findGrant(actor, 'owner')?.recent
  // What staff sign a device in with makes nobody a manager.
  if (byDevice && requireGrant(actor, 'device').via !== 'password')
    throw findGrant(actor, 'owner') ? recentSignInRequired() : forbidden(passwordSignInRequired)
  refuseGuessablePassword(ctx, password, [restaurantName, username])
  const passwordHash = await ctx.passwords.hash(password, queueKeyOf(actor))
  return write(ctx, async (db) => {
    await sessions.requireGrantStillValid(ctx, db, actor, 'managers.setup')
    const restaurant = await requireSameRestaurant(ctx, db, restaurantId, restaurantName)
    if (!(await managers.claimManagement(db, restaurantId, ctx.now())))
      throw conflict('Management credentials are set up already')
    if (byDevice) await notifyOwner(ctx, db, restaurantId, 'manager-set-up-by-device')
    const added = await managers.add(db, newManager(ctx, restaurantId, username, passwordHash))
    if (!added) throw conflict('This manager already exists')
    const { id } = added
    await audit.record(ctx, db, actor, restaurantId, 'managers.add', { username })
    const cookie = await sessions.signIn(ctx, db, actor, restaurantId, [{ kind: 'manager', subjectId: id }])
    const deviceCookie = rememberAccount(ctx, actor, managerAccount(restaurantId, username, passwordHash))
    return { cookie, deviceCookie, reply: { restaurantName: restaurant.name } }
  })
}

export async function login(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, username, password, code }: ManagementLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'managers.login')
  if (restaurantName === undefined && actor.restaurantId === null) {
    throw invalid('Please sign in to your restaurant first')
  }
  const restaurant =
    restaurantName === undefined
      ? await restaurantOf(read(ctx), actor)
      : await findByName(ctx, restaurantName)
  const manager = restaurant && (await managers.findByUsername(read(ctx), restaurant.id, username))
  const secret = manager?.passwordHash ?? null
  const account = managerAccount(restaurant?.id ?? nameKey(restaurantName ?? ''), username, secret)
  const { id, restaurantId, passwordHash } = await withThrottle(ctx, actor, account, async (turn) => {
    const right = await ctx.passwords.verify(secret, password, turn)
    if (!manager || !right) throw invalidCredentials()
    return manager
  })
  const subject = { restaurantId, kind: 'manager' as const, id }
  const { proved, deviceCookie } = await secondFactor.verifySecondFactor(ctx, actor, subject, account, code)
  const cookie = await write(ctx, async (db) => {
    const current = await managers.lock(db, restaurantId, id)
    if (current?.passwordHash !== passwordHash) throw invalidCredentials()
    await secondFactor.requireSecondFactorVerified(db, subject, proved)
    return sessions.signIn(ctx, db, actor, restaurantId, [{ kind: 'manager', subjectId: id }])
  })
  return { cookie, deviceCookie, reply: { restaurantName: restaurant?.name ?? '' } }
}

/**
 * Adds a manager or changes a password; who signed in with the old one is signed out. Who means to add one takes no
 * other's login over by it, and no manager another one's without the owner or the password there is.
 */
export async function setCredentials(ctx: Ctx, actor: Actor, given: ManagerCredentials): Promise<void> {
  const { username, password } = given
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.setCredentials')
  const restaurant = await restaurantOf(read(ctx), actor)
  refuseGuessablePassword(ctx, password, [restaurant.name, username])
  const before = await managers.findByUsername(read(ctx), restaurantId, username)
  if (before && given.meant === 'new') throw managerExists()
  if (before) await requirePasswordAuthority(ctx, actor, before, given.currentPassword)
  else if (given.meant === 'existing') throw notFound('Manager')
  const passwordHash = await ctx.passwords.hash(password, queueKeyOf(actor))
  await write(ctx, async (db) => {
    await sessions.requireGrantStillValid(ctx, db, actor, 'managers.setCredentials')
    await managers.claimManagement(db, restaurantId, ctx.now())
    const made = newManager(ctx, restaurantId, username, passwordHash)
    if (!before) {
      if (!(await managers.add(db, made))) throw managerExists()
      return audit.record(ctx, db, actor, restaurantId, 'managers.add', { username })
    }
    if (!(await managers.changePassword(db, before, made))) {
      throw conflict('This manager was changed a moment ago. Please try again.')
    }
    await audit.record(ctx, db, actor, restaurantId, 'managers.setPassword', { username: before.username })
    await deviceCodes.revoke(db, restaurantId, before.id)
    await sessions.revoke(ctx, db, actor, { kind: 'manager', subjectId: before.id, keepOwn: true })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: 'manager', username })
}

const managerExists = () => conflict('This manager already exists')

/** Over a manager's password: the owner, that manager, and who knows the password. */
async function requirePasswordAuthority(
  ctx: Ctx,
  actor: Actor,
  manager: managers.Manager,
  currentPassword: string | undefined,
): Promise<void> {
  const owner = findGrant(actor, 'owner')
  if (owner?.recent || findGrant(actor, 'manager')?.subjectId === manager.id) return
  if (owner) throw recentSignInRequired()
  if (!currentPassword) {
    throw forbidden(
      `Only ${manager.username} and the owner may change this password. Please enter ${manager.username}'s current password.`,
    )
  }
  const wrong = forbidden(`${manager.username}'s current password is wrong`)
  const { restaurantId, username, passwordHash } = manager
  await verifyPassword(
    ctx,
    actor,
    managerAccount(restaurantId, username, passwordHash),
    currentPassword,
    wrong,
  )
}

const newManager = (
  ctx: Ctx,
  restaurantId: string,
  username: string,
  passwordHash: string,
): Parameters<typeof managers.add>[1] => ({
  restaurantId,
  id: ctx.newId(),
  username,
  passwordHash,
  setAt: ctx.now(),
})

/** A manager who may not come any more. The first one's credentials are not up for grabs again by that. */
export async function remove(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.remove')
  await write(ctx, async (db) => {
    const manager = await managers.find(db, restaurantId, id)
    if (!manager || !(await managers.remove(db, restaurantId, id))) throw notFound('Manager')
    await removeCodes(db, { restaurantId, kind: 'manager', id })
    await authenticators.remove(db, { restaurantId, kind: 'manager', id })
    await passkeys.removeAll(db, { restaurantId, kind: 'manager', id })
    await audit.record(ctx, db, actor, restaurantId, 'managers.remove', { username: manager.username })
    await deviceCodes.revoke(db, restaurantId, id)
    await sessions.revoke(ctx, db, actor, { kind: 'manager', subjectId: id, keepOwn: false })
  })
}

export async function currentUser(ctx: Ctx, actor: Actor): Promise<AdminUser> {
  const { restaurantId, right } = authorizeInRestaurant(actor, 'managers.currentUser')
  const db = read(ctx)
  const { name: restaurantName } = await restaurantOf(db, actor)
  const all = await managers.list(db, restaurantId)
  const managerUsername = all[0]?.username ?? null
  if (right === 'reduced') return { restaurantName, managerUsername }
  const customerId = await findCustomerId(ctx, db, restaurantId)
  const owner = await owners.findById(db, requireGrant(actor, 'owner').subjectId)
  return {
    restaurantName,
    managerUsername,
    subscriptionStatus: (await isActive(ctx, db, restaurantId)) ? 'active' : 'inactive',
    ...(customerId !== undefined && { customerId }),
    hasPassword: owner !== undefined && owner.passwordHash !== null,
    managers: all.map(({ id, username }) => ({ id, username })),
  }
}

/** Ends a manager's logins in every browser; the manager may sign in again. */
export async function signOut(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.signOut')
  await write(ctx, async (db) => {
    const manager = await managers.find(db, restaurantId, id)
    if (!manager) throw notFound('Manager')
    await audit.record(ctx, db, actor, restaurantId, 'managers.signOut', { username: manager.username })
    await sessions.revoke(ctx, db, actor, { kind: 'manager', subjectId: id, keepOwn: false })
  })
}
