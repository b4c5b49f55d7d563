import type { PasskeyAssertion } from '#contract/accounts/passkeys.ts'
import * as passkeys from '../../../storage/accounts/passkeys.ts'
import type { Passkey } from '../../../storage/accounts/passkeys.ts'
import type { Subject } from '../../../storage/accounts/subject.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { Actor } from '../../actor.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import type { Ctx } from '../../ctx.ts'
import { unauthenticated } from '../../errors.ts'
import { read } from '../../transaction.ts'
import { rememberBoth } from '../devices/device-cookies.ts'
import { type Account, findAccount, unknownAccount } from '../sign-in/login-accounts.ts'
import { withThrottle } from '../sign-in/login-throttle.ts'
import { type Challenge, consumeChallenge, readChallenge } from './passkey-challenges.ts'
import { requirePasskeySite } from './passkey-site.ts'

/** An authenticator signed our challenge with this passkey. The proof is valid once `consumeProof` has accepted it. */
export type PasskeyProof = { passkey: Passkey; challenge: Challenge; counter: number }

export const passkeyRejected = () =>
  unauthenticated('This passkey was not accepted. Please sign in another way.')

export const passkeySubject = ({ restaurantId, kind, subjectId }: Passkey): Subject => ({
  restaurantId,
  kind,
  id: subjectId,
})

/** Wrong passkeys and wrong passwords are counted separately, so that neither locks out the other. */
const passkeyAccount = ({ key, secret }: Account): Account => ({ key: `${key} passkeys`, secret })

export const rememberPasskey = (ctx: Ctx, actor: Actor, account: Account): string =>
  rememberBoth(ctx, actor, account, passkeyAccount(account))

/** Refuses an assertion that no passkey signed, or none of the subject's if one is given. */
export async function verifyPasskey(
  ctx: Ctx,
  actor: Actor,
  assertion: PasskeyAssertion,
  { purpose, subject }: { purpose: string; subject?: Subject },
): Promise<PasskeyProof> {
  const site = requirePasskeySite(ctx)
  const challenge = readChallenge(ctx, actor, purpose)
  const passkey = await passkeys.findByCredential(read(ctx), assertion.id)
  const account = passkey && (await findAccount(read(ctx), passkeySubject(passkey)))
  const counted = account ? passkeyAccount(account) : unknownAccount(assertion.id)
  return withThrottle(ctx, actor, counted, async () => {
    if (
      !passkey ||
      !account ||
      (subject && !belongsTo(passkey, subject)) ||
      !matchesUserHandle(passkey, assertion)
    )
      throw passkeyRejected()
    const expected = { ...site, challenge: challenge.text }
    const verified = await ctx.webAuthn.verifyAssertion(assertion, expected, passkey.publicKey)
    if (!verified) throw passkeyRejected()
    return { passkey, challenge, counter: verified.counter }
  })
}

const belongsTo = (passkey: Passkey, { restaurantId, kind, id }: Subject): boolean =>
  passkey.restaurantId === restaurantId && passkey.kind === kind && passkey.subjectId === id

/** Authenticators may name the person that the passkey was made for. */
const matchesUserHandle = ({ subjectId }: Passkey, { response }: PasskeyAssertion): boolean =>
  response.userHandle === undefined || response.userHandle === userHandle(subjectId)

/** In the form that browsers expect. */
export const toCredentialDescriptor = ({ credentialId, transports }: Passkey) => ({
  id: credentialId,
  transports: transports.split(' ').filter(Boolean),
})

export const userHandle = (subjectId: string): string => Buffer.from(subjectId).toString('base64url')

/** Call inside `write`, with the account locked. Neither the challenge nor the counter is accepted twice. */
export async function consumeProof(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  { passkey, challenge, counter }: PasskeyProof,
): Promise<void> {
  await consumeChallenge(ctx, db, challenge)
  if (await passkeys.recordUse(db, passkey, { counter, at: ctx.now() })) return
  const { kind: of, subjectId: subject } = passkey
  // There may be a copy of the authenticator.
  if (await passkeys.findByCredential(db, passkey.credentialId))
    logSecurityEvent(ctx, actor, 'login-failed', { because: 'passkey counter went back', of, subject })
  throw passkeyRejected()
}
