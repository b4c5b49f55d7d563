import { minuteMs } from '#contract/durations.ts'
import * as passkeys from '../../../storage/accounts/passkeys.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { Actor } from '../../actor.ts'
import type { Ctx } from '../../ctx.ts'
import { invalid } from '../../errors.ts'

const challengeMs = 5 * minuteMs

export type Challenge = { text: string; expiresAt: number }

const challengeExpired = () => invalid('This took too long, or was done already. Please try again.')

/**
 * For an authenticator to sign. The browser keeps it in a signed cookie, so nothing is stored before it is used.
 * `purpose` names the operation and the person: the challenge is valid for nothing else.
 */
export function createChallenge(ctx: Ctx, purpose: string): { challenge: string; challengeCookie: string } {
  const challenge: Challenge = { text: ctx.secrets.newToken(), expiresAt: ctx.now() + challengeMs }
  const { text, expiresAt } = challenge
  return {
    challenge: text,
    challengeCookie: `${text}.${expiresAt}.${signChallenge(ctx, challenge, purpose)}`,
  }
}

const signChallenge = (
  { secrets, installationKey }: Ctx,
  { text, expiresAt }: Challenge,
  purpose: string,
): string => secrets.sign(installationKey, `passkey challenge ${text} ${expiresAt} ${purpose}`)

/** The challenge that this browser was given for this purpose. */
export function readChallenge(ctx: Ctx, { challengeCookie }: Actor, purpose: string): Challenge {
  const [text = '', until, proof = ''] = challengeCookie?.split('.', 3) ?? []
  const challenge: Challenge = { text, expiresAt: Number(until) }
  if (!ctx.secrets.equal(proof, signChallenge(ctx, challenge, purpose))) throw challengeExpired()
  if (challenge.expiresAt <= ctx.now()) throw challengeExpired()
  return challenge
}

/** Call inside `write`. Each challenge is accepted once. */
export async function consumeChallenge(ctx: Ctx, db: Db, { text, expiresAt }: Challenge): Promise<void> {
  if (!(await passkeys.markChallengeUsed(db, { digest: ctx.secrets.digest(text), expiresAt })))
    throw challengeExpired()
}
