import type { PasskeyChallenge, PasskeyLogin, PasskeySignedIn } from '#contract/accounts/passkeys.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Actor } from '../../actor.ts'
import { authorize } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { write } from '../../transaction.ts'
import * as sessions from '../sessions/sessions.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import { lockAccount } from '../sign-in/login-accounts.ts'
import { createChallenge } from './passkey-challenges.ts'
import { requirePasskeySite } from './passkey-site.ts'
import {
  consumeProof,
  passkeyRejected,
  passkeySubject,
  rememberPasskey,
  verifyPasskey,
} from './passkey-verification.ts'

const purpose = 'sign in'

export function challenge(ctx: Ctx, actor: Actor): { challenge: PasskeyChallenge; challengeCookie: string } {
  authorize(actor, 'passkeys.challenge')
  const { rpId } = requirePasskeySite(ctx)
  const { challenge, challengeCookie } = createChallenge(ctx, purpose)
  return { challenge: { challenge, rpId, known: [] }, challengeCookie }
}

/** The passkey tells who signs in, and where. It is two factors in one: a device, and a PIN or fingerprint. */
export async function login(
  ctx: Ctx,
  actor: Actor,
  { credential }: PasskeyLogin,
): Promise<SignedIn<PasskeySignedIn>> {
  authorize(actor, 'passkeys.login')
  const proof = await verifyPasskey(ctx, actor, credential, { purpose })
  const { restaurantId, kind, subjectId } = proof.passkey
  return write(ctx, async (tx) => {
    const account = await lockAccount(tx.db, passkeySubject(proof.passkey))
    if (!account) throw passkeyRejected()
    await consumeProof(ctx, tx.db, actor, proof)
    const restaurant = await restaurants.findById(tx.db, restaurantId)
    const cookie = await sessions.signIn(ctx, tx, actor, restaurantId, [{ kind, subjectId, via: 'passkey' }])
    return {
      cookie,
      deviceCookie: rememberPasskey(ctx, actor, account),
      reply: { restaurantName: restaurant?.name ?? '', as: kind },
    }
  })
}
