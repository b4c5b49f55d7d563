import type { ManagementLogin, ManagerCredentials, ManagerSetup } from '#contract/accounts/account-forms.ts'
import type { AdminUser, HasCredentials, SignedInRestaurant } from '#contract/accounts/signed-in.ts'
import { nameKey } from '#contract/primitives.ts'
import * as managers from '../../storage/accounts/managers.ts'
import * as qrCodes from '../../storage/floor/qr-codes.ts'
import { type Actor, findGrant } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { authorize, authorizeInRestaurant, requireGrant } from '../authorize.ts'
import { isActive } from '../billing/billing.ts'
import { findCustomerId } from '../billing/subscription-sync.ts'
import type { Ctx } from '../ctx.ts'
import {
  conflict,
  forbidden,
  invalid,
  invalidCredentials,
  notFound,
  recentSignInRequired,
} from '../errors.ts'
import { read, write } from '../transaction.ts'
import { rememberAccount } from './devices/device-cookies.ts'
import { notifyOwner } from './recovery/owner-notices.ts'
import { findForLogin, requireSameRestaurant, restaurantOf } from './restaurants/restaurants.ts'
import * as sessions from './sessions/sessions.ts'
import type { SignedIn } from './sessions/sessions.ts'
import { requireOwner } from './sign-in/identity.ts'
import { managerAccount } from './sign-in/login-accounts.ts'
import { confirmPassword, queueKeyOf, verifyPassword } from './sign-in/login-throttle.ts'
import { refuseGuessablePassword } from './sign-in/password-rules.ts'
import * as secondFactor from './sign-in/second-factor.ts'

const passwordSignInRequired = 'Please sign in with the password of the account to do that'

export async function check(
  ctx: Ctx,
  actor: Actor,
  { restaurantName }: { restaurantName: string },
): Promise<HasCredentials> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.check')
  await requireSameRestaurant(ctx, read(ctx), restaurantId, restaurantName)
  return { hasCredentials: (await restaurantOf(read(ctx), actor)).managedSince !== null }
}

/** Creates the first manager of a restaurant, who just typed its password, and signs them in. */
export async function setup(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, username, password }: ManagerSetup,
): Promise<SignedIn<SignedInRestaurant>> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.setup')
  const byDevice = !findGrant(actor, 'owner')?.recent
  // A staff password or device code makes nobody a manager.
  if (byDevice && requireGrant(actor, 'device').via !== 'password')
    throw findGrant(actor, 'owner') ? recentSignInRequired() : forbidden(passwordSignInRequired)
  refuseGuessablePassword(ctx, password, [restaurantName, username])
  const passwordHash = await ctx.passwords.hash(password, queueKeyOf(actor))
  return write(ctx, async (tx) => {
    await sessions.requireGrantStillValid(ctx, tx.db, actor, 'managers.setup')
    const restaurant = await requireSameRestaurant(ctx, tx.db, restaurantId, restaurantName)
    if (!(await managers.claimManagement(tx.db, restaurantId, ctx.now())))
      throw conflict('Management credentials are set up already')
    if (byDevice) await notifyOwner(ctx, tx.db, restaurantId, 'manager-set-up-by-device')
    const added = await managers.add(tx.db, newManager(ctx, restaurantId, username, passwordHash))
    if (!added) throw managerExists()
    const { id } = added
    await audit.record(ctx, tx.db, actor, restaurantId, 'managers.add', { username })
    const cookie = await sessions.signIn(ctx, tx, actor, restaurantId, [{ kind: 'manager', subjectId: id }])
    const deviceCookie = rememberAccount(ctx, actor, managerAccount({ restaurantId, username, passwordHash }))
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
      : await findForLogin(ctx, restaurantName)
  const manager = restaurant && (await managers.findByUsername(read(ctx), restaurant.id, username))
  const account = managerAccount({
    restaurantId: restaurant?.id ?? nameKey(restaurantName ?? ''),
    username,
    passwordHash: manager?.passwordHash ?? null,
  })
  await verifyPassword(ctx, actor, account, password)
  if (!manager) throw invalidCredentials()
  const { id, restaurantId, passwordHash } = manager
  const subject = { restaurantId, kind: 'manager' as const, id }
  const { proved, deviceCookie } = await secondFactor.verifySecondFactor(ctx, actor, subject, account, code)
  const cookie = await write(ctx, async (tx) => {
    const current = await managers.lock(tx.db, restaurantId, id)
    if (current?.passwordHash !== passwordHash) throw invalidCredentials()
    await secondFactor.requireSecondFactorVerified(tx.db, subject, proved)
    return sessions.signIn(ctx, tx, actor, restaurantId, [{ kind: 'manager', subjectId: id }])
  })
  return { cookie, deviceCookie, reply: { restaurantName: restaurant?.name ?? '' } }
}

/**
 * Adds a manager or changes a password, which signs out everybody who used the old one. Adding never takes over an
 * existing login, and no manager changes another one's password without the owner or the current password.
 */
export async function setCredentials(
  ctx: Ctx,
  actor: Actor,
  { username, password, currentPassword, meant }: ManagerCredentials,
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.setCredentials')
  const restaurant = await restaurantOf(read(ctx), actor)
  refuseGuessablePassword(ctx, password, [restaurant.name, username])
  const before = await managers.findByUsername(read(ctx), restaurantId, username)
  if (before && meant === 'new') throw managerExists(before.username === username ? null : before.username)
  if (before) await requirePasswordAuthority(ctx, actor, before, currentPassword)
  else if (meant === 'existing') throw notFound('Manager')
  const passwordHash = await ctx.passwords.hash(password, queueKeyOf(actor))
  await write(ctx, async (tx) => {
    await sessions.requireGrantStillValid(ctx, tx.db, actor, 'managers.setCredentials')
    await managers.claimManagement(tx.db, restaurantId, ctx.now())
    const manager = newManager(ctx, restaurantId, username, passwordHash)
    if (!before) {
      if (!(await managers.add(tx.db, manager))) throw managerExists()
      return audit.record(ctx, tx.db, actor, restaurantId, 'managers.add', { username })
    }
    if (!(await managers.changePassword(tx.db, before, manager))) {
      throw conflict('This manager was changed a moment ago. Please try again.')
    }
    await audit.record(ctx, tx.db, actor, restaurantId, 'managers.setPassword', { username: before.username })
    const subject = { restaurantId, kind: 'manager', id: before.id } as const
    await sessions.revokeAccess(ctx, tx, actor, { ...subject, keepOwn: true })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: 'manager', username })
}

/** `spelling`: the existing manager's, if only that differs. */
const managerExists = (spelling: string | null = null) =>
  conflict(
    spelling === null ? 'This manager already exists' : `There is a manager called ${spelling} already`,
  )

/** A manager's password may be changed by the owner, by that manager, and by whoever knows it. */
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
  await confirmPassword(ctx, actor, managerAccount(manager), currentPassword, wrong)
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

export async function currentUser(ctx: Ctx, actor: Actor): Promise<AdminUser> {
  const { restaurantId, right } = authorizeInRestaurant(actor, 'managers.currentUser')
  const db = read(ctx)
  const { name: restaurantName } = await restaurantOf(db, actor)
  const all = await managers.list(db, restaurantId)
  const managerUsername = all[0]?.username ?? null
  const hasQrCode = await qrCodes.exists(db, restaurantId)
  if (right === 'reduced') return { restaurantName, managerUsername, hasQrCode }
  const customerId = await findCustomerId(ctx, db, restaurantId)
  const owner = await requireOwner(db, actor)
  return {
    restaurantName,
    managerUsername,
    hasQrCode,
    subscriptionStatus: (await isActive(ctx, db, restaurantId)) ? 'active' : 'inactive',
    ...(customerId !== undefined && { customerId }),
    hasPassword: owner.passwordHash !== null,
    managers: all.map(({ id, username }) => ({ id, username })),
  }
}

/** Ends a manager's logins in all browsers; the manager may sign in again. */
export async function signOut(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'managers.signOut')
  await write(ctx, async (tx) => {
    const manager = await managers.find(tx.db, restaurantId, id)
    if (!manager) throw notFound('Manager')
    await audit.record(ctx, tx.db, actor, restaurantId, 'managers.signOut', { username: manager.username })
    await sessions.revoke(ctx, tx, actor, { kind: 'manager', subjectId: id, keepOwn: false })
  })
}
