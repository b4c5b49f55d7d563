import { nameKey } from '#contract/primitives.ts'
import type { Owner } from '../../storage/owners.ts'
import type { Actor } from '../actor.ts'
import type { Ctx, LimitName, QueueKey } from '../ports.ts'
import { type Account, findProof } from './device-cookies.ts'
import { Refusal } from '../errors.ts'
import { logSecurityEvent } from '../audit/security-log.ts'

/** The owner's account, by e-mail address, by any name of the restaurant, at every door and every prompt. */
export const ownerAccount = ({ id, passwordHash }: Pick<Owner, 'id' | 'passwordHash'>): Account => ({
  key: `owner ${id}`,
  secret: passwordHash,
})

/** A manager's, in a restaurant by its id, or by whatever name one was looked for that is not there. */
export const managerAccount = (restaurant: string, username: string, secret: string | null): Account => ({
  key: `manager ${restaurant} ${nameKey(username)}`,
  secret,
})

/** What nobody is called is limited as accounts are, so that it cannot be told from one. */
export const unknownAccount = (name: string): Account => ({ key: `unknown ${nameKey(name)}`, secret: null })

/**
 * Checks a login's password, or whatever else `verify` checks; wrong ones throw `unauthenticated` and are counted.
 * A browser that signed in to this account before is counted by itself and by nothing else, so that no guesses from
 * elsewhere shut it out. All others share the account's count, and are counted by address. Only the account's own
 * password makes the wrong ones forgotten: `isOfAccount` says so where another one opens the same door.
 */
export async function withThrottle<T>(
  ctx: Ctx,
  actor: Actor,
  account: Account,
  verify: (queueKey: QueueKey) => Promise<T>,
  isOfAccount: (proved: T) => boolean = () => true,
): Promise<T> {
  const proof = findProof(ctx, actor, account)
  const limits = limitKeys(ctx, actor, account, proof)
  const refuseIfFull = async () => {
    try {
      for (const [limit, key] of limits) await ctx.limits.check(limit, key)
    } catch (error) {
      logSecurityEvent(ctx, actor, 'login-limited', { account: loggedName(account) })
      throw error
    }
  }
  await refuseIfFull()
  const turn = proof === null ? { of: actor.address, account: account.key } : { of: account.key }
  const [outcome] = await Promise.allSettled([verify(turn)])
  if (outcome.status === 'rejected' && !isWrongCredential(outcome.reason)) throw outcome.reason
  // Many passwords may be tried at one moment: those that were counted meanwhile count for this one too.
  await refuseIfFull()
  const [own] = limits
  if (outcome.status === 'fulfilled') {
    if (isOfAccount(outcome.value)) await ctx.limits.clear(...own)
    return outcome.value
  }
  for (const [limit, key] of limits) await ctx.limits.take(limit, key)
  logSecurityEvent(ctx, actor, 'login-failed', { account: loggedName(account) })
  throw outcome.reason
}

type LimitKey = [limit: LimitName, key: string]

/** The first is forgotten when the password was right. A new password begins new counts. */
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

/** In whose turn a password is hashed that nobody guesses at. */
export const queueKeyOf = ({ restaurantId, address }: Actor): QueueKey => ({ of: restaurantId ?? address })

const isWrongCredential = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'unauthenticated'

/** People type passwords into the field above: what nobody is called is not logged. */
const loggedName = ({ key, secret }: Account): string => (secret === null ? 'unknown' : key)
