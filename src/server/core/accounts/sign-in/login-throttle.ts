import type { LimitKey } from '../../../ports/limits.ts'
import type { QueueKey } from '../../../ports/sign-in.ts'
import type { Actor } from '../../actor.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import type { Ctx } from '../../ctx.ts'
import { invalid, invalidCredentials, Refusal } from '../../errors.ts'
import { findProof } from '../devices/device-cookies.ts'
import type { Account } from './login-accounts.ts'

/** Checks a login's password. A wrong one throws `unauthenticated` and is counted. */
export async function verifyPassword(
  ctx: Ctx,
  actor: Actor,
  account: Account,
  password: string,
): Promise<void> {
  await withThrottle(ctx, actor, account, async (queueKey) => {
    if (!(await ctx.passwords.verify(account.secret, password, queueKey))) throw invalidCredentials()
  })
}

/** Checks the password of somebody who is signed in and stays so, even if it is wrong. */
export async function confirmPassword(
  ctx: Ctx,
  actor: Actor,
  account: Account,
  password: string,
  wrong: Refusal = invalid('This password is wrong'),
): Promise<void> {
  await replaceUnauthenticated(wrong, () => verifyPassword(ctx, actor, account, password))
}

/** To a browser, `unauthenticated` means that it is signed out. */
export async function replaceUnauthenticated<T>(wrong: Refusal, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (error) {
    throw isWrongCredential(error) ? wrong : error
  }
}

/**
 * Runs `verify`, which throws `unauthenticated` for a wrong credential, and counts those. A browser that signed in to
 * this account before has a count of its own, so guesses from elsewhere cannot lock it out. All others share the
 * account's count, and are also counted by address. Success resets the count, unless `isOfAccount` says that the
 * credential was another account's.
 */
export async function withThrottle<T>(
  ctx: Ctx,
  actor: Actor,
  account: Account,
  verify: (queueKey: QueueKey) => Promise<T>,
  isOfAccount: (verified: T) => boolean = () => true,
): Promise<T> {
  const proof = findProof(ctx, actor, account)
  const limits = limitKeys(ctx, actor, account, proof)
  const logIfRefused = async (step: Promise<void>) => {
    try {
      await step
    } catch (error) {
      if (error instanceof Refusal)
        logSecurityEvent(ctx, actor, 'login-limited', { account: loggedName(account) })
      throw error
    }
  }
  for (const [limit, key] of limits) await logIfRefused(ctx.limits.check(limit, key))
  const [outcome] = await Promise.allSettled([verify(attemptKey(actor, account, proof))])
  if (outcome.status === 'rejected' && !isWrongCredential(outcome.reason)) throw outcome.reason
  // Simultaneous attempts that were counted in the meantime count for this one too.
  const [own] = limits
  if (outcome.status === 'fulfilled') {
    await logIfRefused(ctx.limits.takeAll([], limits, isOfAccount(outcome.value) ? [own] : []))
    return outcome.value
  }
  await logIfRefused(ctx.limits.takeAll(limits))
  logSecurityEvent(ctx, actor, 'login-failed', { account: loggedName(account) })
  throw outcome.reason
}

/** Success clears the first. The password hash is part of the keys: a new password starts new counts. */
function limitKeys(
  ctx: Ctx,
  { address }: Actor,
  { key, secret }: Account,
  proof: string | null,
): [LimitKey, ...LimitKey[]] {
  if (proof !== null) return [['login-device', proof]]
  const account = `${key} ${ctx.secrets.digest(secret ?? '')}`
  return [
    ['login', `${account} ${address}`],
    ['login-address', address],
    ['login-account', account],
  ]
}

function attemptKey({ address }: Actor, { key, isNamed }: Account, proof: string | null): QueueKey {
  if (proof !== null) return { of: key, standing: 'known' }
  return { of: address, account: key, ...(isNamed && { standing: 'named' }) }
}

/** Queues the hashing of a password that cannot be a guess. */
export const queueKeyOf = ({ restaurantId, address }: Actor): QueueKey =>
  restaurantId === null ? { of: address } : { of: restaurantId, standing: 'known' }

export const isWrongCredential = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'unauthenticated'

/** Unknown names are not logged: people type passwords into the wrong field. */
const loggedName = ({ key, secret }: Account): string => (secret === null ? 'unknown' : key)
