import type { ConfirmableIdentity, IdentityConfirmation } from '#contract/confirmation.ts'
import type { PasskeyAssertion, PasskeyChallenge } from '#contract/passkeys.ts'
import type { Subject } from '../storage/recovery.ts'
import type { Db } from '../storage/types.ts'
import * as managers from '../storage/managers.ts'
import * as owners from '../storage/owners.ts'
import * as passkeys from '../storage/passkeys.ts'
import * as sessions from '../storage/sessions.ts'
import { type Actor, findGrant, type Grant } from './actor.ts'
import { authorize, authorizeInRestaurant } from './authorize.ts'
import type { Ctx } from './ports.ts'
import { read, write } from './transaction.ts'
import type { Account } from './device-cookies.ts'
import { invalid, recentSignInRequired, Refusal, unauthenticated } from './errors.ts'
import { createChallenge } from './passkey-challenges.ts'
import { lockAccount, provePasskey, takeProof, toKnown } from './passkey-proof.ts'
import { logSecurityEvent } from './security-log.ts'
import { managerAccount, ownerAccount, throttled } from './throttle.ts'
import { requirePasskeySite, whyNoPasskeys } from './webauthn.ts'

/** The account behind the strongest login of this browser: what it may do only recently, the owner may in any case. */
type Identity = {
  kind: 'owner' | 'manager'
  id: string
  name: string
  grant: Grant
  login: Account
  hasProvider: boolean
}

export async function identityOf(db: Db, actor: Actor): Promise<Identity> {
  const ownerGrant = findGrant(actor, 'owner')
  if (ownerGrant) {
    const owner = await owners.findById(db, ownerGrant.subjectId)
    if (!owner) throw unauthenticated()
    const { id, email, oidcSubject } = owner
    return {
      kind: 'owner',
      id,
      name: email,
      grant: ownerGrant,
      login: ownerAccount(owner),
      hasProvider: oidcSubject !== null,
    }
  }
  const grant = findGrant(actor, 'manager')
  const manager =
    grant && actor.restaurantId !== null
      ? await managers.find(db, actor.restaurantId, grant.subjectId)
      : undefined
  if (!grant || !manager) throw unauthenticated()
  const { id, username, passwordHash } = manager
  const login = managerAccount(manager.restaurantId, username, passwordHash)
  return { kind: 'manager', id, name: username, grant, login, hasProvider: false }
}

/** Whoever changes how they sign in has to be the one who confirmed it, not another login of the same browser. */
export async function requireRecentIdentity(db: Db, actor: Actor): Promise<Identity> {
  const identity = await identityOf(db, actor)
  if (!identity.grant.recent) throw recentSignInRequired()
  return identity
}

export const subjectOf = ({ kind, id }: Identity, restaurantId: string): Subject => ({
  restaurantId,
  kind,
  id,
})

export async function identity(ctx: Ctx, actor: Actor): Promise<ConfirmableIdentity> {
  authorize(actor, 'accounts.identity')
  const found = await identityOf(read(ctx), actor)
  const { kind, name, grant, login, hasProvider } = found
  const passkey = whyNoPasskeys(ctx) === null && (await passkeysOf(ctx, actor, found)).length > 0
  return { kind, name, recent: grant.recent, password: login.secret !== null, passkey, provider: hasProvider }
}

/** An owner has none before the restaurant is named. */
async function passkeysOf(ctx: Ctx, { restaurantId }: Actor, identity: Identity) {
  return restaurantId === null ? [] : passkeys.list(read(ctx), subjectOf(identity, restaurantId))
}

const passkeyPurpose = ({ kind, id }: Identity): string => `confirm ${kind} ${id}`

/** For who means to confirm it with a passkey. */
export async function begin(
  ctx: Ctx,
  actor: Actor,
): Promise<{ challenge: PasskeyChallenge; challengeCookie: string }> {
  authorizeInRestaurant(actor, 'accounts.confirmationChallenge')
  const { rpId } = requirePasskeySite(ctx)
  const found = await identityOf(read(ctx), actor)
  const known = (await passkeysOf(ctx, actor, found)).map(toKnown)
  const { challenge, challengeCookie } = createChallenge(ctx, passkeyPurpose(found))
  return { challenge: { challenge, rpId, known }, challengeCookie }
}

/**
 * Whoever types the password of the login that this browser has, or uses a passkey of it, may go on for a while as
 * after that login.
 */
export async function confirm(
  ctx: Ctx,
  actor: Actor,
  { password, passkey }: IdentityConfirmation,
): Promise<void> {
  authorize(actor, 'accounts.confirmIdentity')
  if (passkey) await confirmByPasskey(ctx, actor, passkey)
  else await confirmByPassword(ctx, actor, password ?? '')
}

async function confirmByPassword(ctx: Ctx, actor: Actor, password: string): Promise<void> {
  const account = await identityOf(read(ctx), actor)
  await provePassword(ctx, actor, account.login, password)
  await write(ctx, async (db) => {
    const current = await identityOf(db, actor)
    // It may have been changed, or the login ended, since it was looked up.
    if (current.login.secret !== account.login.secret) throw unauthenticated()
    await renew(ctx, db, actor, current)
  })
  logSecurityEvent(ctx, actor, 'identity-confirmed', { by: 'password', account: account.kind })
}

async function confirmByPasskey(ctx: Ctx, actor: Actor, assertion: PasskeyAssertion): Promise<void> {
  const wrong = invalid('This passkey was not accepted')
  const { restaurantId } = authorizeInRestaurant(actor, 'accounts.confirmIdentity')
  const found = await identityOf(read(ctx), actor)
  const subject = subjectOf(found, restaurantId)
  const proof = await stayingSignedIn(wrong, () =>
    provePasskey(ctx, actor, assertion, { purpose: passkeyPurpose(found), of: subject }),
  )
  await write(ctx, async (db) => {
    if (!(await lockAccount(db, subject))) throw unauthenticated()
    await stayingSignedIn(wrong, () => takeProof(ctx, db, actor, proof))
    await renew(ctx, db, actor, found)
  })
  logSecurityEvent(ctx, actor, 'identity-confirmed', { by: 'passkey', account: found.kind })
}

/** The login begins anew, unless it ended meanwhile. */
async function renew(ctx: Ctx, db: Db, actor: Actor, { kind, id }: Identity): Promise<void> {
  if (actor.sessionId === null) throw unauthenticated()
  const proof = { sessionId: actor.sessionId, kind, subjectId: id, authAt: ctx.now() }
  if (!(await sessions.confirm(db, proof))) throw unauthenticated()
}

/** Refuses a wrong password of somebody who is signed in, and who stays so: it is only this word that is wrong. */
export async function provePassword(
  ctx: Ctx,
  actor: Actor,
  account: Account,
  password: string,
  wrong: Refusal = invalid('This password is wrong'),
): Promise<void> {
  await stayingSignedIn(wrong, () =>
    throttled(ctx, actor, account, async (turn) => {
      if (!(await ctx.passwords.verify(account.secret, password, turn))) throw unauthenticated()
    }),
  )
}

/** To a browser `unauthenticated` would say that it is signed out. */
async function stayingSignedIn<T>(wrong: Refusal, prove: () => Promise<T>): Promise<T> {
  try {
    return await prove()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unauthenticated') throw wrong
    throw error
  }
}
