import type { CodeRecovery, EndedSecondFactors, LinkRecovery } from '#contract/accounts/recovery.ts'
import { nameKey } from '#contract/primitives.ts'
import type { QueueKey } from '../../../ports/sign-in.ts'
import * as managers from '../../../storage/accounts/managers.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as recovery from '../../../storage/accounts/recovery.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Subject } from '../../../storage/accounts/subject.ts'
import type { Db } from '../../../storage/engine/types.ts'
import { type Actor, anonymousActor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorize } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { type Refusal, unauthenticated } from '../../errors.ts'
import { read, type Tx, write } from '../../transaction.ts'
import { loadOwnedRestaurants } from '../restaurants/owned-restaurants.ts'
import { revokeAccess } from '../sessions/sessions.ts'
import { findOwners } from '../sign-in/login-accounts.ts'
import { withThrottle } from '../sign-in/login-throttle.ts'
import { refuseGuessablePassword, refuseStaffPassword } from '../sign-in/password-rules.ts'
import { removeSecondFactors } from '../sign-in/second-factor.ts'
import { digestMailedToken } from './mailed-reset-link.ts'
import { notifyOwner } from './owner-notices.ts'
import { hashCode, redeemRecoveryCode } from './recovery-codes.ts'

/** An account, and what its new password must not be based on. */
type RecoverableAccount = { subject: Subject; names: string[]; staffPasswordHashes: string[] }

/** The same for an unknown account, a used code and a wrong one. */
const invalidCode = () => unauthenticated('This recovery code does not fit, or was used already')
const invalidLink = () =>
  unauthenticated('This link is too old, or was used already. Please ask for a new one.')

/**
 * Codes and links are too long to be guessed, so wrong ones alone are counted, per address. Nobody can keep others from
 * recovering their account, not even from the same address, which a restaurant shares with its guests.
 */
function countWrong(ctx: Ctx, actor: Actor, target: string, wrong: Refusal): Promise<never> {
  const attempted = { key: `recovery ${target} ${actor.address}`, secret: null }
  return withThrottle(ctx, actor, attempted, () => Promise.reject(wrong))
}

/** Sets a new password for somebody who has a recovery code. */
export async function byCode(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, username, code, password }: CodeRecovery,
): Promise<void> {
  authorize(actor, 'recovery.byCode')
  const hash = hashCode(ctx, code)
  const candidates =
    username === undefined
      ? await findOwnerAccounts(ctx, restaurantName)
      : await findManagerAccounts(ctx, restaurantName, username)
  const accountName = candidates[0]?.subject.id ?? `${nameKey(restaurantName)} ${nameKey(username ?? '')}`
  const account =
    (await findByCode(read(ctx), candidates, hash)) ??
    (await countWrong(ctx, actor, accountName, invalidCode()))
  await replacePassword(ctx, actor, account, password, 'recovery code', async (db) => {
    if (!(await redeemRecoveryCode(ctx, db, account.subject, code))) throw invalidCode()
  })
}

async function findByCode(
  db: Db,
  candidates: readonly RecoverableAccount[],
  hash: string,
): Promise<RecoverableAccount | undefined> {
  for (const candidate of candidates) {
    const codes = await recovery.listCodes(db, candidate.subject)
    if (codes.some(({ codeHash }) => codeHash === hash)) return candidate
  }
  return undefined
}

async function findOwnerAccounts(ctx: Ctx, nameOrEmail: string): Promise<RecoverableAccount[]> {
  const candidates = await findOwners(read(ctx), nameOrEmail)
  return (await Promise.all(candidates.map((owner) => loadAccount(ctx, owner)))).flat()
}

async function loadAccount(
  ctx: Ctx,
  { id, restaurantId, email }: owners.Owner,
): Promise<RecoverableAccount[]> {
  if (restaurantId === null) return []
  const subject: Subject = { restaurantId, kind: 'owner', id }
  const { names, staffPasswordHashes } = await loadOwnedRestaurants(read(ctx), id)
  return [{ subject, names: [...names, email], staffPasswordHashes }]
}

async function findManagerAccounts(ctx: Ctx, name: string, username: string): Promise<RecoverableAccount[]> {
  const restaurant = await restaurants.findByName(read(ctx), name)
  const manager = restaurant && (await managers.findByUsername(read(ctx), restaurant.id, username))
  if (!manager) return []
  const subject: Subject = { restaurantId: manager.restaurantId, kind: 'manager', id: manager.id }
  return [{ subject, names: [restaurant.name, manager.username], staffPasswordHashes: [] }]
}

/** Sets a new password for an owner who got a one-time link, from the operator of this installation or by e-mail. */
export async function byLink(ctx: Ctx, actor: Actor, { token, password }: LinkRecovery): Promise<void> {
  authorize(actor, 'recovery.byLink')
  const tokenHashes = [ctx.secrets.digest(token), digestMailedToken(ctx, token)]
  const reset =
    (await recovery.findReset(read(ctx), tokenHashes, ctx.now())) ??
    (await countWrong(ctx, actor, 'link', invalidLink()))
  const owner = await owners.findById(read(ctx), reset.ownerId)
  const [account] = owner ? await loadAccount(ctx, owner) : []
  if (!account) throw invalidLink()
  const by = reset.via === 'mail' ? 'email' : 'link'
  await replacePassword(ctx, actor, account, password, by, async (db) => {
    if (!(await recovery.consumeReset(db, reset, ctx.now()))) throw invalidLink()
  })
}

type RecoveryMethod = 'recovery code' | 'link' | 'email'

async function replacePassword(
  ctx: Ctx,
  actor: Actor,
  { subject, names, staffPasswordHashes }: RecoverableAccount,
  password: string,
  by: RecoveryMethod,
  prove: (db: Db) => Promise<void>,
): Promise<void> {
  const queueKey: QueueKey = { of: subject.id, standing: 'known' }
  refuseGuessablePassword(ctx, password, names)
  await refuseStaffPassword(ctx, staffPasswordHashes, password, queueKey)
  const passwordHash = await ctx.passwords.hash(password, queueKey)
  const { restaurantId, kind, id } = subject
  // The browser may be signed in as somebody else, who did not do this.
  const author = anonymousActor(actor.address)
  await write(ctx, async (tx) => {
    await prove(tx.db)
    const reset = kind === 'owner' ? resetOwner : resetManager
    await reset(ctx, tx, author, subject, passwordHash, by)
    await revokeAccess(ctx, tx, author, { ...subject, keepOwn: false })
  })
  logSecurityEvent(ctx, author, 'recovery-used', { restaurant: restaurantId, of: kind, subject: id, by })
}

type Reset = (
  ctx: Ctx,
  tx: Tx,
  author: Actor,
  subject: Subject,
  passwordHash: string,
  by: RecoveryMethod,
) => Promise<void>

const resetOwner: Reset = async (ctx, tx, author, subject, passwordHash, by) => {
  const { restaurantId, id } = subject
  // The operator's link is the last resort of somebody who has lost everything else. A mailbox proves less.
  const ended = by === 'link' ? await endSecondFactors(ctx, tx, author, subject) : null
  await audit.record(ctx, tx.db, author, restaurantId, 'recovery.resetPassword', { who: 'owner', by })
  await owners.resetPassword(tx.db, id, passwordHash)
  await recovery.removeResets(tx.db, restaurantId)
  await notifyOwner(ctx, tx.db, restaurantId, resetNotices[by], ended)
}

/** Recorded like those that the owner ends. Returns what the notice says about it. */
async function endSecondFactors(
  ctx: Ctx,
  tx: Tx,
  author: Actor,
  subject: Subject,
): Promise<EndedSecondFactors | null> {
  const of = (await owners.findById(tx.db, subject.id))?.email ?? ''
  const { authenticator, passkeys } = await removeSecondFactors(tx.db, subject)
  if (authenticator)
    await audit.record(ctx, tx.db, author, subject.restaurantId, 'authenticator.turnOff', { of, by: 'link' })
  for (const { name } of passkeys)
    await audit.record(ctx, tx.db, author, subject.restaurantId, 'passkeys.remove', { of, name, by: 'link' })
  const what = endedSecondFactors(authenticator, passkeys.length > 0)
  if (what !== null)
    tx.afterCommit(() =>
      logSecurityEvent(ctx, author, 'credential-changed', {
        of: 'owner',
        what: `second factor removed: ${what}`,
      }),
    )
  return what
}

function endedSecondFactors(authenticator: boolean, passkeys: boolean): EndedSecondFactors | null {
  if (authenticator) return passkeys ? 'authenticator-and-passkeys' : 'authenticator'
  return passkeys ? 'passkeys' : null
}

const resetNotices = {
  'recovery code': 'password-reset-by-code',
  link: 'password-reset-by-link',
  email: 'password-reset-by-email',
} as const satisfies Record<RecoveryMethod, string>

const resetManager: Reset = async (ctx, { db }, author, { restaurantId, id }, passwordHash, by) => {
  const manager = await managers.find(db, restaurantId, id)
  if (!manager || !(await managers.resetPassword(db, restaurantId, id, passwordHash))) throw invalidCode()
  const who = manager.username
  await audit.record(ctx, db, author, restaurantId, 'recovery.resetPassword', { who, by })
  await notifyOwner(ctx, db, restaurantId, 'manager-password-reset', who)
}
