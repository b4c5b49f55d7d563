import type { SignInProblem } from '#contract/accounts.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as owners from '../../storage/owners.ts'
import { type Actor, findGrant } from '../actor.ts'
import { authorize } from '../authorize.ts'
import type { Ctx } from '../ports.ts'
import { write } from '../transaction.ts'
import * as sessions from './sessions.ts'

/** Whom the OpenID Connect provider vouches for. Issuer and subject are the key, never the e-mail address. */
export type Identity = {
  issuer: string
  subject: string
  email: string | null
  emailVerified: boolean
  /** How long ago the person proved who they are to the provider, in milliseconds; null when it did not say. */
  provedAgo: number | null
}

/** What a browser keeps while it is away at the provider. */
export type PendingSignIn = { state: string; nonce: string; verifier: string }

/** `anew`: whoever the provider knows already has to prove it once more. */
type SignInOptions = { anew: boolean }

export type IdentityProvider = {
  /** Where to send the browser, and what must come back with it; nothing while the provider cannot be reached. */
  startSignIn(asked: SignInOptions): Promise<{ url: string; departure: PendingSignIn } | undefined>
  /** Who came back. `search` is the query with which the provider sent the browser here. */
  completeSignIn(search: string, departure: PendingSignIn): Promise<Identity | SignInProblem>
}

type SignInResult =
  | { as: 'owner'; cookie: string; hasRestaurant: boolean }
  /** The address has an account with a password here, which the owner is to confirm first. */
  | { as: 'unconfirmed' }

/** Signs in the owner whose identity this is; the first time it makes one, who has no restaurant yet. */
export async function signInWithIdentity(
  ctx: Ctx,
  actor: Actor,
  identity: Identity,
  choice: { separate: boolean } & SignInOptions,
): Promise<SignInResult> {
  authorize(actor, 'login.finish')
  return write(ctx, async (db) => {
    const candidate =
      (await owners.findByIdentity(db, identity)) ??
      (await linkIdentity(ctx, db, actor, identity)) ??
      (choice.separate || !(await hasLinkableAccount(db, identity))
        ? await createOwner(ctx, db, identity)
        : undefined)
    const owner = candidate && (await owners.lock(db, candidate.id))
    if (!owner) return { as: 'unconfirmed' }
    const cookie = await sessions.signIn(ctx, db, actor, owner.restaurantId, [
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

/**
 * A provider may send somebody back who typed nothing, or did so long ago: that is a sign-in, but no recent one. One
 * that tells nothing is believed to have asked where it was told to.
 */
function authenticatedAt(ctx: Ctx, { provedAgo }: Identity, { anew }: SignInOptions): number {
  return ctx.now() - (provedAgo ?? (anew ? 0 : sessions.recentSignInMs + 1))
}

/** An account that signed up with this address, which the provider has verified. */
async function hasLinkableAccount(db: Db, { email, emailVerified }: Identity): Promise<boolean> {
  if (email === null || !emailVerified) return false
  return (await owners.findByEmail(db, email)).some(isLinkable)
}

const isLinkable = (owner: owners.Owner): boolean => owner.passwordHash !== null && owner.oidcSubject === null

/** The account of the same address whose password was typed in this browser a moment ago. */
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
