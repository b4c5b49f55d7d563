import type { PasskeyAssertion } from '#contract/passkeys.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as managers from '../../storage/managers.ts'
import * as owners from '../../storage/owners.ts'
import * as passkeys from '../../storage/passkeys.ts'
import type { Passkey } from '../../storage/passkeys.ts'
import type { Subject } from '../../storage/recovery.ts'
import type { Actor } from '../actor.ts'
import type { Ctx } from '../ports.ts'
import { read } from '../transaction.ts'
import { type Account, rememberAccount } from './device-cookies.ts'
import { unauthenticated } from '../errors.ts'
import { type Challenge, readChallenge, consumeChallenge } from './passkey-challenges.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { managerAccount, ownerAccount, withThrottle, unknownAccount } from './login-throttle.ts'
import { requirePasskeySite } from './passkey-site.ts'

/** An authenticator signed our challenge with this passkey. It counts once `takeProof` took it. */
export type PasskeyProof = { passkey: Passkey; challenge: Challenge; counter: number }

export const passkeyRejected = () =>
  unauthenticated('This passkey was not accepted. Please sign in another way.')

export const passkeySubject = ({ restaurantId, kind, subjectId }: Passkey): Subject => ({
  restaurantId,
  kind,
  id: subjectId,
})

/** Wrong passkeys are counted apart from wrong passwords: guesses at one shut nobody out of the other. */
const passkeyAccount = ({ key, secret }: Account): Account => ({ key: `${key} passkeys`, secret })

/** What the browser keeps after somebody signed in with a passkey. */
export function rememberPasskey(ctx: Ctx, actor: Actor, account: Account): string {
  const deviceCookie = rememberAccount(ctx, actor, account)
  return rememberAccount(ctx, { ...actor, deviceCookie }, passkeyAccount(account))
}

/** Refuses what is not signed by a passkey of `of`, or by anybody's. */
export async function verifyPasskey(
  ctx: Ctx,
  actor: Actor,
  assertion: PasskeyAssertion,
  { purpose, of: owner }: { purpose: string; of?: Subject },
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
      (owner && !belongsTo(passkey, owner)) ||
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

/** Authenticators say whom the passkey was made for. */
const matchesUserHandle = ({ subjectId }: Passkey, { response }: PasskeyAssertion): boolean =>
  response.userHandle === undefined || response.userHandle === userHandle(subjectId)

/** As browsers want to be told of it. */
export const toCredentialDescriptor = ({ credentialId, transports }: Passkey) => ({
  id: credentialId,
  transports: transports.split(' ').filter(Boolean),
})

export const userHandle = (subjectId: string): string => Buffer.from(subjectId).toString('base64url')

async function findAccount(db: Db, { restaurantId, kind, id }: Subject): Promise<Account | undefined> {
  if (kind === 'owner') {
    const owner = await owners.findById(db, id)
    return owner && ownerAccount(owner)
  }
  const manager = await managers.find(db, restaurantId, id)
  return manager && managerAccount(restaurantId, manager.username, manager.passwordHash)
}

/** The account, which stands until the transaction ends; nothing when it was removed. */
export async function lockAccount(db: Db, { restaurantId, kind, id }: Subject): Promise<Account | undefined> {
  if (kind === 'owner') {
    const owner = await owners.lock(db, id)
    return owner?.restaurantId === restaurantId ? ownerAccount(owner) : undefined
  }
  const manager = await managers.lock(db, restaurantId, id)
  return manager && managerAccount(restaurantId, manager.username, manager.passwordHash)
}

/** Inside `write`, after the account was locked: neither the challenge nor the counter serves a second time. */
export async function consumeProof(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  { passkey, challenge, counter }: PasskeyProof,
): Promise<void> {
  await consumeChallenge(ctx, db, challenge)
  if (await passkeys.recordUse(db, passkey, { counter, at: ctx.now() })) return
  const { kind: of, subjectId: subject } = passkey
  // A copy of the authenticator may be about.
  if (await passkeys.findByCredential(db, passkey.credentialId))
    logSecurityEvent(ctx, actor, 'login-failed', { because: 'passkey counter went back', of, subject })
  throw passkeyRejected()
}
