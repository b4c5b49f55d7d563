import type { ConfirmableIdentity, IdentityConfirmation } from '#contract/accounts/confirmation.ts'
import type { PasskeyAssertion, PasskeyChallenge } from '#contract/accounts/passkeys.ts'
import * as passkeys from '../../../storage/accounts/passkeys.ts'
import * as sessions from '../../../storage/accounts/sessions.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { Actor } from '../../actor.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorize, authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { invalid, unauthenticated } from '../../errors.ts'
import { read, write } from '../../transaction.ts'
import { createChallenge } from '../passkeys/passkey-challenges.ts'
import { passkeyProblem, requirePasskeySite } from '../passkeys/passkey-site.ts'
import { consumeProof, toCredentialDescriptor, verifyPasskey } from '../passkeys/passkey-verification.ts'
import { type Identity, loadIdentity, toSubject } from './identity.ts'
import { lockAccount } from './login-accounts.ts'
import { confirmPassword, replaceUnauthenticated } from './login-throttle.ts'

export async function identity(ctx: Ctx, actor: Actor): Promise<ConfirmableIdentity> {
  authorize(actor, 'accounts.identity')
  const identity = await loadIdentity(read(ctx), actor)
  const { kind, name, grant, login, hasProvider } = identity
  const passkey = passkeyProblem(ctx) === null && (await listPasskeys(ctx, actor, identity)).length > 0
  return { kind, name, recent: grant.recent, password: login.secret !== null, passkey, provider: hasProvider }
}

/** Before onboarding an owner has none. */
async function listPasskeys(ctx: Ctx, { restaurantId }: Actor, identity: Identity) {
  return restaurantId === null ? [] : passkeys.list(read(ctx), toSubject(identity))
}

const passkeyPurpose = ({ kind, id }: Identity): string => `confirm ${kind} ${id}`

export async function confirmationChallenge(
  ctx: Ctx,
  actor: Actor,
): Promise<{ challenge: PasskeyChallenge; challengeCookie: string }> {
  authorizeInRestaurant(actor, 'accounts.confirmationChallenge')
  const { rpId } = requirePasskeySite(ctx)
  const identity = await loadIdentity(read(ctx), actor)
  const known = (await listPasskeys(ctx, actor, identity)).map(toCredentialDescriptor)
  const { challenge, challengeCookie } = createChallenge(ctx, passkeyPurpose(identity))
  return { challenge: { challenge, rpId, known }, challengeCookie }
}

/** With the password or a passkey of the browser's login, that login counts as recent again. */
export async function confirmIdentity(
  ctx: Ctx,
  actor: Actor,
  { password, passkey }: IdentityConfirmation,
): Promise<void> {
  authorize(actor, 'accounts.confirmIdentity')
  if (passkey) await confirmByPasskey(ctx, actor, passkey)
  else await confirmByPassword(ctx, actor, password ?? '')
}

async function confirmByPassword(ctx: Ctx, actor: Actor, password: string): Promise<void> {
  const identity = await loadIdentity(read(ctx), actor)
  await confirmPassword(ctx, actor, identity.login, password)
  await write(ctx, async ({ db }) => {
    const current = await loadIdentity(db, actor)
    // The password may have been changed meanwhile.
    if (current.login.secret !== identity.login.secret) throw unauthenticated()
    await renewGrant(ctx, db, actor, current)
  })
  logSecurityEvent(ctx, actor, 'identity-confirmed', { by: 'password', account: identity.kind })
}

async function confirmByPasskey(ctx: Ctx, actor: Actor, assertion: PasskeyAssertion): Promise<void> {
  const wrong = invalid('This passkey was not accepted')
  authorizeInRestaurant(actor, 'accounts.confirmIdentity')
  const identity = await loadIdentity(read(ctx), actor)
  const subject = toSubject(identity)
  const proof = await replaceUnauthenticated(wrong, () =>
    verifyPasskey(ctx, actor, assertion, { purpose: passkeyPurpose(identity), subject }),
  )
  await write(ctx, async ({ db }) => {
    if (!(await lockAccount(db, subject))) throw unauthenticated()
    await replaceUnauthenticated(wrong, () => consumeProof(ctx, db, actor, proof))
    await renewGrant(ctx, db, actor, identity)
  })
  logSecurityEvent(ctx, actor, 'identity-confirmed', { by: 'passkey', account: identity.kind })
}

/** Refuses when the login has ended meanwhile. */
async function renewGrant(ctx: Ctx, db: Db, actor: Actor, { kind, id }: Identity): Promise<void> {
  if (actor.sessionId === null) throw unauthenticated()
  const grant = { sessionId: actor.sessionId, kind, subjectId: id, authAt: ctx.now() }
  if (!(await sessions.renewGrant(db, grant))) throw unauthenticated()
}
