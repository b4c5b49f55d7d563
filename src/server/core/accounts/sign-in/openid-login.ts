import type { SignInProblem } from '#contract/accounts/account-forms.ts'
import { nameKey } from '#contract/primitives.ts'
import * as memberships from '../../../storage/accounts/memberships.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import type { Db } from '../../../storage/engine/types.ts'
import { type Actor, findGrant } from '../../actor.ts'
import { authorize } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { write } from '../../transaction.ts'
import * as sessions from '../sessions/sessions.ts'

/** A person as the OpenID Connect provider knows them. Issuer and subject are the key, never the e-mail address. */
export type Identity = {
  issuer: string
  subject: string
  email: string | null
  emailVerified: boolean
  /** Milliseconds since the person authenticated with the provider; null when it does not say. */
  provedAgo: number | null
}

/** Kept by the browser while it is at the provider. */
export type PendingSignIn = { state: string; nonce: string; verifier: string }

type SignInOptions = {
  /** The provider has to authenticate the person again, even if they are signed in there. */
  anew: boolean
}

export type IdentityProvider = {
  /** Where to send the browser, and what it must bring back; undefined while the provider cannot be reached. */
  startSignIn(options: SignInOptions): Promise<{ url: string; departure: PendingSignIn } | undefined>
  /** `search` is the query with which the provider sent the browser back. */
  completeSignIn(search: string, departure: PendingSignIn): Promise<Identity | SignInProblem>
}

type SignInResult =
  | { as: 'owner'; cookie: string; hasRestaurant: boolean }
  /** The address has an account with a password, which the owner has to confirm first. */
  | { as: 'unconfirmed' }

/** Undefined while the provider cannot be reached. */
export async function begin(
  actor: Actor,
  provider: IdentityProvider,
  options: SignInOptions,
): ReturnType<IdentityProvider['startSignIn']> {
  authorize(actor, 'login.begin')
  return provider.startSignIn(options)
}

/** Signs in the owner with this identity, whom the first sign-in creates without a restaurant. */
export async function finish(
  ctx: Ctx,
  actor: Actor,
  identity: Identity,
  choice: { separate: boolean } & SignInOptions,
): Promise<SignInResult> {
  authorize(actor, 'login.finish')
  return write(ctx, async (tx) => {
    const candidate =
      (await owners.findByIdentity(tx.db, identity)) ??
      (await linkIdentity(ctx, tx.db, actor, identity)) ??
      (choice.separate || !(await hasLinkableAccount(tx.db, identity))
        ? await createOwner(ctx, tx.db, identity)
        : undefined)
    const owner = candidate && (await owners.lock(tx.db, candidate.id))
    if (!owner) return { as: 'unconfirmed' }
    const restaurantId = await restaurantEntered(tx.db, actor, owner)
    const cookie = await sessions.signIn(ctx, tx, actor, restaurantId, [
      {
        kind: 'owner',
        subjectId: owner.id,
        authAt: authenticatedAt(ctx, identity, choice),
        via: 'identity-provider',
      },
    ])
    return { as: 'owner', cookie, hasRestaurant: owner.restaurantId !== null }
  })
}

/** Owners who only prove again who they are stay in the restaurant where they are. */
async function restaurantEntered(
  db: Db,
  actor: Actor,
  { id, restaurantId: home }: owners.Owner,
): Promise<string | null> {
  const { restaurantId } = actor
  const stays =
    restaurantId !== null &&
    findGrant(actor, 'owner')?.subjectId === id &&
    (await memberships.owns(db, id, restaurantId))
  return stays ? restaurantId : home
}

/**
 * A provider may send somebody back who authenticated long ago: that is a sign-in, but no recent one. A provider that
 * does not say is trusted to have asked again if it was told to.
 */
function authenticatedAt(ctx: Ctx, { provedAgo }: Identity, { anew }: SignInOptions): number {
  return ctx.now() - (provedAgo ?? (anew ? 0 : sessions.recentSignInMs + 1))
}

/** Whether somebody signed up with this address, which the provider has verified. */
async function hasLinkableAccount(db: Db, { email, emailVerified }: Identity): Promise<boolean> {
  if (email === null || !emailVerified) return false
  return (await owners.findByEmail(db, email)).some(isLinkable)
}

const isLinkable = (owner: owners.Owner): boolean => owner.passwordHash !== null && owner.oidcSubject === null

/** Links the account with the same address, if its password was typed in this browser a moment ago. */
async function linkIdentity(
  ctx: Ctx,
  db: Db,
  actor: Actor,
  identity: Identity,
): Promise<owners.Owner | undefined> {
  const grant = findGrant(actor, 'owner')
  if (!grant?.recent) return undefined
  if (identity.email === null || !identity.emailVerified) return undefined
  if ((await sessions.lockGrants(ctx, db, actor, ['owner'])).length === 0) return undefined
  const owner = await owners.findById(db, grant.subjectId)
  if (!owner || !isLinkable(owner) || owner.emailKey !== nameKey(identity.email)) return undefined
  return owners.linkIdentity(db, owner.id, identity)
}

async function createOwner(ctx: Ctx, db: Db, identity: Identity): Promise<owners.Owner | undefined> {
  await owners.insertOnce(db, {
    id: ctx.newId(),
    restaurantId: null,
    email: identity.email ?? '',
    passwordHash: null,
    oidcIssuer: identity.issuer,
    oidcSubject: identity.subject,
    createdAt: ctx.now(),
  })
  return owners.findByIdentity(db, identity)
}
