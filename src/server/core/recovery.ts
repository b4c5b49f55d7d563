import type { CodeRecovery, LinkRecovery } from '#contract/recovery.ts'
import { nameKey } from '#contract/primitives.ts'
import * as authenticators from '../storage/authenticators.ts'
import type { Db } from '../storage/types.ts'
import * as deviceCodes from '../storage/device-codes.ts'
import * as managers from '../storage/managers.ts'
import * as owners from '../storage/owners.ts'
import * as passkeys from '../storage/passkeys.ts'
import * as recovery from '../storage/recovery.ts'
import type { Subject } from '../storage/recovery.ts'
import * as restaurants from '../storage/restaurants.ts'
import { refuseGuessable } from './accounts.ts'
import { type Actor, anonymous } from './actor.ts'
import { authorize } from './authorize.ts'
import * as audit from './audit.ts'
import type { Ctx } from './ports.ts'
import { read, write } from './transaction.ts'
import { unauthenticated } from './errors.ts'
import { notify } from './owner-notices.ts'
import { codeHash, redeemRecoveryCode } from './recovery-codes.ts'
import { refuseStaffPassword } from './restaurant-password.ts'
import { logSecurityEvent } from './security-log.ts'
import { revoke } from './sessions.ts'
import { throttled, turnOf } from './throttle.ts'

/** Who may be meant, and what their password may not be. */
type Account = { subject: Subject; names: string[]; staffPasswordHash: string | null }

/** The same for an account that does not exist, a code that was used and one that never was. */
const wrongCode = () => unauthenticated('This recovery code does not fit, or was used already')
const wrongLink = () =>
  unauthenticated('This link is too old, or was used already. Please ask for a new one.')

/**
 * Codes and links are too long to be guessed, so wrong ones are counted for each address by itself: nobody keeps
 * others from recovering their account.
 */
const triesOf = ({ address }: Actor, called: string) => ({
  key: `recovery ${called} ${address}`,
  secret: null,
})

/** A new password for whoever has a recovery code of theirs. */
export async function byCode(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, username, code, password }: CodeRecovery,
): Promise<void> {
  authorize(actor, 'recovery.byCode')
  const hash = codeHash(ctx, code)
  const candidates =
    username === undefined
      ? await ownersCalled(ctx, restaurantName)
      : await managersCalled(ctx, restaurantName, username)
  const called = candidates[0]?.subject.id ?? `${nameKey(restaurantName)} ${nameKey(username ?? '')}`
  const account = await throttled(ctx, actor, triesOf(actor, called), async () => {
    for (const candidate of candidates) {
      const codes = await recovery.listCodes(read(ctx), candidate.subject)
      if (codes.some((one) => one.codeHash === hash)) return candidate
    }
    throw wrongCode()
  })
  await replacePassword(ctx, actor, account, password, 'recovery code', async (db) => {
    if (!(await redeemRecoveryCode(ctx, db, account.subject, code))) throw wrongCode()
  })
}

async function ownersCalled(ctx: Ctx, name: string): Promise<Account[]> {
  const restaurant = await restaurants.findByName(read(ctx), name)
  const named = restaurant && (await owners.findByRestaurant(read(ctx), restaurant.id))
  const all = [...(named ? [named] : []), ...(await owners.findByEmail(read(ctx), name))]
  return Promise.all(all.map(async (owner) => accountOf(ctx, owner))).then((found) => found.flat())
}

async function accountOf(ctx: Ctx, { id, restaurantId, email }: owners.Owner): Promise<Account[]> {
  const restaurant = restaurantId === null ? undefined : await restaurants.findById(read(ctx), restaurantId)
  if (!restaurant) return []
  const subject: Subject = { restaurantId: restaurant.id, kind: 'owner', id }
  const { name, staffPasswordHash } = restaurant
  return [{ subject, names: [name, email], staffPasswordHash }]
}

async function managersCalled(ctx: Ctx, name: string, username: string): Promise<Account[]> {
  const restaurant = await restaurants.findByName(read(ctx), name)
  const manager = restaurant && (await managers.findByUsername(read(ctx), restaurant.id, username))
  if (!manager) return []
  const subject: Subject = { restaurantId: manager.restaurantId, kind: 'manager', id: manager.id }
  return [{ subject, names: [restaurant.name, manager.username], staffPasswordHash: null }]
}

/** A new password for the owner whom the operator of this installation gave a one-time link. */
export async function byLink(ctx: Ctx, actor: Actor, { token, password }: LinkRecovery): Promise<void> {
  authorize(actor, 'recovery.byLink')
  const tokenHash = ctx.secrets.digest(token)
  const reset = await throttled(ctx, actor, triesOf(actor, 'link'), async () => {
    const found = await recovery.findReset(read(ctx), tokenHash, ctx.now())
    if (!found) throw wrongLink()
    return found
  })
  const owner = await owners.findById(read(ctx), reset.ownerId)
  const [account] = owner ? await accountOf(ctx, owner) : []
  if (!account) throw wrongLink()
  await replacePassword(ctx, actor, account, password, 'link', async (db) => {
    if (!(await recovery.takeReset(db, reset, ctx.now()))) throw wrongLink()
  })
}

type Means = 'recovery code' | 'link'

/** Ends every sign-in of theirs; an owner's password is also that of the restaurant's devices. */
async function replacePassword(
  ctx: Ctx,
  actor: Actor,
  { subject, names, staffPasswordHash }: Account,
  password: string,
  by: Means,
  prove: (db: Db) => Promise<void>,
): Promise<void> {
  const turn = turnOf(actor)
  refuseGuessable(ctx, password, names)
  await refuseStaffPassword(ctx, staffPasswordHash, password, turn)
  const passwordHash = await ctx.passwords.hash(password, turn)
  const { restaurantId, kind, id } = subject
  // Whoever this browser was signed in as before has nothing to do with it.
  const author = anonymous(actor.address)
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
  by: Means,
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
  await notify(ctx, db, restaurantId, by === 'link' ? 'password-reset-by-link' : 'password-reset-by-code')
  await revoke(ctx, db, author, { kind: 'device', subjectId: restaurantId, keepOwn: false })
  await revoke(ctx, db, author, { kind: 'owner', subjectId: id, keepOwn: false })
}

async function resetManager(
  ctx: Ctx,
  db: Db,
  author: Actor,
  { restaurantId, id }: Subject,
  passwordHash: string,
  by: Means,
): Promise<void> {
  const manager = await managers.find(db, restaurantId, id)
  if (!manager || !(await managers.resetPassword(db, restaurantId, id, passwordHash))) throw wrongCode()
  const who = manager.username
  await audit.record(ctx, db, author, restaurantId, 'recovery.resetPassword', { who, by })
  await notify(ctx, db, restaurantId, 'manager-password-reset', who)
  await deviceCodes.revoke(db, restaurantId, id)
  await revoke(ctx, db, author, { kind: 'manager', subjectId: id, keepOwn: false })
}
