import type { ConfirmableIdentity, IdentityConfirmation } from '#contract/confirmation.ts'
import type { PasskeyAssertion, PasskeyChallenge } from '#contract/passkeys.ts'
import type { Subject } from '../../storage/recovery.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as managers from '../../storage/managers.ts'
import * as owners from '../../storage/owners.ts'
import * as passkeys from '../../storage/passkeys.ts'
import * as sessions from '../../storage/sessions.ts'
import { type Actor, findGrant, type Grant } from '../actor.ts'
import { authorize, authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import type { Account } from './device-cookies.ts'
import { invalid, recentSignInRequired, Refusal, unauthenticated } from '../errors.ts'
import { createChallenge } from './passkey-challenges.ts'
import { lockAccount, verifyPasskey, consumeProof, toCredentialDescriptor } from './passkey-verification.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { managerAccount, ownerAccount, withThrottle } from './login-throttle.ts'
import { requirePasskeySite, passkeyProblem } from './passkey-site.ts'

/** The account behind the strongest login of this browser: what it may do only recently, the owner may in any case. */
type Identity = {
  kind: 'owner' | 'manager'
  id: string
  name: string
  grant: Grant
  login: Account
  hasProvider: boolean
}

export async function loadIdentity(db: Db, actor: Actor): Promise<Identity> {
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
  const identity = await loadIdentity(db, actor)
  if (!identity.grant.recent) throw recentSignInRequired()
  return identity
}

export const toSubject = ({ kind, id }: Identity, restaurantId: string): Subject => ({
  restaurantId,
  kind,
  id,
})

export async function getIdentity(ctx: Ctx, actor: Actor): Promise<ConfirmableIdentity> {
  authorize(actor, 'accounts.identity')
  const current = await loadIdentity(read(ctx), actor)
  const { kind, name, grant, login, hasProvider } = current
  const passkey = passkeyProblem(ctx) === null && (await listPasskeys(ctx, actor, current)).length > 0
  return { kind, name, recent: grant.recent, password: login.secret !== null, passkey, provider: hasProvider }
}

/** An owner has none before the restaurant is named. */
async function listPasskeys(ctx: Ctx, { restaurantId }: Actor, identity: Identity) {
  return restaurantId === null ? [] : passkeys.list(read(ctx), toSubject(identity, restaurantId))
}

const passkeyPurpose = ({ kind, id }: Identity): string => `confirm ${kind} ${id}`

/** For who means to confirm it with a passkey. */
export async function createPasskeyChallenge(
  ctx: Ctx,
  actor: Actor,
): Promise<{ challenge: PasskeyChallenge; challengeCookie: string }> {
  authorizeInRestaurant(actor, 'accounts.confirmationChallenge')
  const { rpId } = requirePasskeySite(ctx)
  const current = await loadIdentity(read(ctx), actor)
  const known = (await listPasskeys(ctx, actor, current)).map(toCredentialDescriptor)
  const { challenge, challengeCookie } = createChallenge(ctx, passkeyPurpose(current))
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
  const account = await loadIdentity(read(ctx), actor)
  await verifyPassword(ctx, actor, account.login, password)
  await write(ctx, async (db) => {
    const current = await loadIdentity(db, actor)
    // It may have been changed, or the login ended, since it was looked up.
    if (current.login.secret !== account.login.secret) throw unauthenticated()
    await renewGrant(ctx, db, actor, current)
  })
  logSecurityEvent(ctx, actor, 'identity-confirmed', { by: 'password', account: account.kind })
}

async function confirmByPasskey(ctx: Ctx, actor: Actor, assertion: PasskeyAssertion): Promise<void> {
  const wrong = invalid('This passkey was not accepted')
  const { restaurantId } = authorizeInRestaurant(actor, 'accounts.confirmIdentity')
  const current = await loadIdentity(read(ctx), actor)
  const subject = toSubject(current, restaurantId)
  const proof = await replaceUnauthenticated(wrong, () =>
    verifyPasskey(ctx, actor, assertion, { purpose: passkeyPurpose(current), of: subject }),
  )
  await write(ctx, async (db) => {
    if (!(await lockAccount(db, subject))) throw unauthenticated()
    await replaceUnauthenticated(wrong, () => consumeProof(ctx, db, actor, proof))
    await renewGrant(ctx, db, actor, current)
  })
  logSecurityEvent(ctx, actor, 'identity-confirmed', { by: 'passkey', account: current.kind })
}

/** The login begins anew, unless it ended meanwhile. */
async function renewGrant(ctx: Ctx, db: Db, actor: Actor, { kind, id }: Identity): Promise<void> {
  if (actor.sessionId === null) throw unauthenticated()
  const proof = { sessionId: actor.sessionId, kind, subjectId: id, authAt: ctx.now() }
  if (!(await sessions.renewGrant(db, proof))) throw unauthenticated()
}

/** Refuses a wrong password of somebody who is signed in, and who stays so: it is only this word that is wrong. */
export async function verifyPassword(
  ctx: Ctx,
  actor: Actor,
  account: Account,
  password: string,
  wrong: Refusal = invalid('This password is wrong'),
): Promise<void> {
  await replaceUnauthenticated(wrong, () =>
    withThrottle(ctx, actor, account, async (turn) => {
      if (!(await ctx.passwords.verify(account.secret, password, turn))) throw unauthenticated()
    }),
  )
}

/** To a browser `unauthenticated` would say that it is signed out. */
async function replaceUnauthenticated<T>(wrong: Refusal, prove: () => Promise<T>): Promise<T> {
  try {
    return await prove()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unauthenticated') throw wrong
    throw error
  }
}
