import type { NewPasskey, OwnPasskeys, Passkey, PasskeySetup } from '#contract/accounts/passkeys.ts'
import * as passkeys from '../../../storage/accounts/passkeys.ts'
import type { Subject } from '../../../storage/accounts/subject.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict, invalid, notFound, unauthenticated } from '../../errors.ts'
import { read, write } from '../../transaction.ts'
import { restaurantOf } from '../restaurants/restaurants.ts'
import { requireGrantStillValid, revoke } from '../sessions/sessions.ts'
import { loadIdentity, requireRecentIdentity, toSubject } from '../sign-in/identity.ts'
import { lockAccount } from '../sign-in/login-accounts.ts'
import { consumeChallenge, createChallenge, readChallenge } from './passkey-challenges.ts'
import { requirePasskeySite, passkeyProblem } from './passkey-site.ts'
import { toCredentialDescriptor, userHandle } from './passkey-verification.ts'

const maxPasskeys = 20

const additionPurpose = ({ kind, id }: Subject): string => `add ${kind} ${id}`

const toPasskey = ({ id, name, createdAt, lastUsedAt }: passkeys.Passkey): Passkey => ({
  id,
  name,
  createdAt,
  lastUsedAt,
})

export async function list(ctx: Ctx, actor: Actor): Promise<OwnPasskeys> {
  authorizeInRestaurant(actor, 'passkeys.list')
  const identity = await loadIdentity(read(ctx), actor)
  const own = await passkeys.list(read(ctx), toSubject(identity))
  return { unavailable: passkeyProblem(ctx), passkeys: own.map(toPasskey) }
}

export async function setUp(
  ctx: Ctx,
  actor: Actor,
): Promise<{ setup: PasskeySetup; challengeCookie: string }> {
  authorizeInRestaurant(actor, 'passkeys.setUp')
  const { rpId } = requirePasskeySite(ctx)
  const identity = await requireRecentIdentity(read(ctx), actor)
  const subject = toSubject(identity)
  const own = await passkeys.list(read(ctx), subject)
  if (own.length >= maxPasskeys) throw tooManyPasskeys()
  const restaurant = await restaurantOf(read(ctx), actor)
  const displayName = `${identity.name} (${restaurant.name})`
  const { challenge, challengeCookie } = createChallenge(ctx, additionPurpose(subject))
  const user = { id: userHandle(subject.id), name: displayName, displayName }
  return { setup: { challenge, rpId, user, known: own.map(toCredentialDescriptor) }, challengeCookie }
}

const tooManyPasskeys = () =>
  conflict(`You have ${maxPasskeys} passkeys. Please remove one you do not use first.`)

export async function add(ctx: Ctx, actor: Actor, { name, credential }: NewPasskey): Promise<Passkey> {
  const { restaurantId } = authorizeInRestaurant(actor, 'passkeys.add')
  const site = requirePasskeySite(ctx)
  const identity = await requireRecentIdentity(read(ctx), actor)
  const subject = toSubject(identity)
  const challenge = readChallenge(ctx, actor, additionPurpose(subject))
  const created = await ctx.webAuthn.verifyCreated(credential, { ...site, challenge: challenge.text })
  if (!created) throw invalid('This passkey could not be added. Please try again.')
  const passkey: passkeys.Passkey = {
    restaurantId: subject.restaurantId,
    id: ctx.newId(),
    kind: subject.kind,
    subjectId: subject.id,
    ...created,
    transports: credential.response.transports?.join(' ') ?? '',
    name,
    createdAt: ctx.now(),
    lastUsedAt: null,
  }
  await write(ctx, async ({ db }) => {
    if (!(await lockAccount(db, subject))) throw unauthenticated()
    await requireGrantStillValid(ctx, db, actor, 'passkeys.add')
    await consumeChallenge(ctx, db, challenge)
    if ((await passkeys.list(db, subject)).length >= maxPasskeys) throw tooManyPasskeys()
    if (!(await passkeys.insert(db, passkey))) throw conflict('This passkey was added already')
    await audit.record(ctx, db, actor, restaurantId, 'passkeys.add', { of: identity.name, name })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: identity.kind, what: 'passkey added' })
  return toPasskey(passkey)
}

/** Whoever signed in with it elsewhere is signed out, as with a password that was changed. */
export async function remove(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'passkeys.remove')
  const identity = await requireRecentIdentity(read(ctx), actor)
  await write(ctx, async (tx) => {
    const removed = await passkeys.remove(tx.db, toSubject(identity), id)
    if (!removed) throw notFound('Passkey')
    const { name } = removed
    await audit.record(ctx, tx.db, actor, restaurantId, 'passkeys.remove', { of: identity.name, name })
    await revoke(ctx, tx, actor, { kind: identity.kind, subjectId: identity.id, keepOwn: true })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: identity.kind, what: 'passkey removed' })
}
