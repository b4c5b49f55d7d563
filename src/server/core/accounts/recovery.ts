import type { CodeRecovery, LinkRecovery } from '#contract/recovery.ts'
import { nameKey } from '#contract/primitives.ts'
import * as authenticators from '../../storage/authenticators.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as deviceCodes from '../../storage/device-codes.ts'
import * as managers from '../../storage/managers.ts'
import * as owners from '../../storage/owners.ts'
import * as passkeys from '../../storage/passkeys.ts'
import * as recovery from '../../storage/recovery.ts'
import type { Subject } from '../../storage/recovery.ts'
import * as restaurants from '../../storage/restaurants.ts'
import { refuseGuessablePassword } from './accounts.ts'
import { type Actor, anonymousActor } from '../actor.ts'
import { authorize } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { unauthenticated } from '../errors.ts'
import { notifyOwner } from './owner-notices.ts'
import { hashCode, redeemRecoveryCode } from './recovery-codes.ts'
import { refuseStaffPassword } from './restaurant-password.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { revoke } from './sessions.ts'
import { withThrottle, queueKeyOf } from './login-throttle.ts'

/** Who may be meant, and what their password may not be. */
type RecoverableAccount = { subject: Subject; names: string[]; staffPasswordHash: string | null }

/** The same for an account that does not exist, a code that was used and one that never was. */
const invalidCode = () => unauthenticated('This recovery code does not fit, or was used already')
const invalidLink = () =>
  unauthenticated('This link is too old, or was used already. Please ask for a new one.')

/**
 * Codes and links are too long to be guessed, so wrong ones are counted for each address by itself: nobody keeps
 * others from recovering their account.
 */
const attemptAccount = ({ address }: Actor, called: string) => ({
  key: `recovery ${called} ${address}`,
  secret: null,
})

/** A new password for whoever has a recovery code of theirs. */
export async function resetByCode(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, username, code, password }: CodeRecovery,
): Promise<void> {
  authorize(actor, 'recovery.byCode')
  const hash = hashCode(ctx, code)
  const candidates =
    username === undefined
      ? await findOwners(ctx, restaurantName)
      : await findManagers(ctx, restaurantName, username)
  const accountName = candidates[0]?.subject.id ?? `${nameKey(restaurantName)} ${nameKey(username ?? '')}`
  const account = await withThrottle(ctx, actor, attemptAccount(actor, accountName), async () => {
    for (const candidate of candidates) {
      const codes = await recovery.listCodes(read(ctx), candidate.subject)
      if (codes.some((one) => one.codeHash === hash)) return candidate
    }
    throw invalidCode()
  })
  await replacePassword(ctx, actor, account, password, 'recovery code', async (db) => {
    if (!(await redeemRecoveryCode(ctx, db, account.subject, code))) throw invalidCode()
  })
}

async function findOwners(ctx: Ctx, name: string): Promise<RecoverableAccount[]> {
  const restaurant = await restaurants.findByName(read(ctx), name)
  const named = restaurant && (await owners.findByRestaurant(read(ctx), restaurant.id))
  const all = [...(named ? [named] : []), ...(await owners.findByEmail(read(ctx), name))]
  return Promise.all(all.map(async (owner) => loadAccount(ctx, owner))).then((found) => found.flat())
}

async function loadAccount(
  ctx: Ctx,
  { id, restaurantId, email }: owners.Owner,
): Promise<RecoverableAccount[]> {
  const restaurant = restaurantId === null ? undefined : await restaurants.findById(read(ctx), restaurantId)
  if (!restaurant) return []
  const subject: Subject = { restaurantId: restaurant.id, kind: 'owner', id }
  const { name, staffPasswordHash } = restaurant
  return [{ subject, names: [name, email], staffPasswordHash }]
}

async function findManagers(ctx: Ctx, name: string, username: string): Promise<RecoverableAccount[]> {
  const restaurant = await restaurants.findByName(read(ctx), name)
  const manager = restaurant && (await managers.findByUsername(read(ctx), restaurant.id, username))
  if (!manager) return []
  const subject: Subject = { restaurantId: manager.restaurantId, kind: 'manager', id: manager.id }
  return [{ subject, names: [restaurant.name, manager.username], staffPasswordHash: null }]
}

/** A new password for the owner whom the operator of this installation gave a one-time link. */
export async function resetByLink(ctx: Ctx, actor: Actor, { token, password }: LinkRecovery): Promise<void> {
  authorize(actor, 'recovery.byLink')
  const tokenHash = ctx.secrets.digest(token)
  const reset = await withThrottle(ctx, actor, attemptAccount(actor, 'link'), async () => {
    const passwordReset = await recovery.findReset(read(ctx), tokenHash, ctx.now())
    if (!passwordReset) throw invalidLink()
    return passwordReset
  })
  const owner = await owners.findById(read(ctx), reset.ownerId)
  const [account] = owner ? await loadAccount(ctx, owner) : []
  if (!account) throw invalidLink()
  await replacePassword(ctx, actor, account, password, 'link', async (db) => {
    if (!(await recovery.consumeReset(db, reset, ctx.now()))) throw invalidLink()
  })
}

type RecoveryMethod = 'recovery code' | 'link'

/** Ends every sign-in of theirs; an owner's password is also that of the restaurant's devices. */
async function replacePassword(
  ctx: Ctx,
  actor: Actor,
  { subject, names, staffPasswordHash }: RecoverableAccount,
  password: string,
  by: RecoveryMethod,
  prove: (db: Db) => Promise<void>,
): Promise<void> {
  const turn = queueKeyOf(actor)
  refuseGuessablePassword(ctx, password, names)
  await refuseStaffPassword(ctx, staffPasswordHash, password, turn)
  const passwordHash = await ctx.passwords.hash(password, turn)
  const { restaurantId, kind, id } = subject
  // Whoever this browser was signed in as before has nothing to do with it.
  const author = anonymousActor(actor.address)
  await write(ctx, async (db) => {
    await prove(db)
    if (kind === 'owner') await resetOwner(ctx, db, author, subject, passwordHash, by)
    else await resetManager(ctx, db, author, subject, passwordHash, by)
  })
  logSecurityEvent(ctx, author, 'recovery-used', { restaurant: restaurantId, of: kind, subject: id, by })
}

async function resetOwner(
  ctx: Ctx,
  db: Db,
  author: Actor,
  { restaurantId, id }: Subject,
  passwordHash: string,
  by: RecoveryMethod,
): Promise<void> {
  await audit.record(ctx, db, author, restaurantId, 'recovery.resetPassword', { who: 'owner', by })
  await owners.resetPassword(db, id, passwordHash)
  // The operator's link is the way back for who lost everything else.
  if (by === 'link') {
    await authenticators.remove(db, { restaurantId, kind: 'owner', id })
    await passkeys.removeAll(db, { restaurantId, kind: 'owner', id })
  }
  await recovery.removeResets(db, restaurantId)
  await deviceCodes.revoke(db, restaurantId)
  await notifyOwner(
    ctx,
    db,
    restaurantId,
    by === 'link' ? 'password-reset-by-link' : 'password-reset-by-code',
  )
  await revoke(ctx, db, author, { kind: 'device', subjectId: restaurantId, keepOwn: false })
  await revoke(ctx, db, author, { kind: 'owner', subjectId: id, keepOwn: false })
}

async function resetManager(
  ctx: Ctx,
  db: Db,
  author: Actor,
  { restaurantId, id }: Subject,
  passwordHash: string,
  by: RecoveryMethod,
): Promise<void> {
  const manager = await managers.find(db, restaurantId, id)
  if (!manager || !(await managers.resetPassword(db, restaurantId, id, passwordHash))) throw invalidCode()
  const who = manager.username
  await audit.record(ctx, db, author, restaurantId, 'recovery.resetPassword', { who, by })
  await notifyOwner(ctx, db, restaurantId, 'manager-password-reset', who)
  await deviceCodes.revoke(db, restaurantId, id)
  await revoke(ctx, db, author, { kind: 'manager', subjectId: id, keepOwn: false })
}
