import { api } from '#contract/api.ts'
import {
  type Passkey,
  type PasskeyAssertion,
  type PasskeyChallenge,
  type PasskeySignedIn,
  passkeyAlgorithms,
} from '#contract/passkeys.ts'
import { ApiError, call, errorMessage } from './http.ts'

/** Only a few people use passkeys, and those a moment after they asked for it. */
const loadWebAuthn = async () => await import('@simplewebauthn/browser')

/** Whether passkeys can be used on this page: the page says for which host they are made, if for any. */
export const canUsePasskeys = (): boolean =>
  document.documentElement.dataset['passkeys'] === location.hostname && 'PublicKeyCredential' in window

type KnownCredentials = PasskeyChallenge['known']

const toDescriptors = (known: KnownCredentials) =>
  known.map(({ id, transports }) => ({ id, transports, type: 'public-key' as const }))

/** Has the browser make a passkey for whoever is signed in. */
export async function addPasskey(name: string): Promise<Passkey> {
  const { challenge, rpId, user, known } = await call(api.passkeys.setUp)
  const { startRegistration } = await loadWebAuthn()
  const credential = await startRegistration({
    optionsJSON: {
      rp: { id: rpId, name: 'Tableside' },
      user,
      challenge,
      pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: toDescriptors(known),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    },
  })
  return await call(api.passkeys.add, { body: { name, credential } })
}

async function signChallenge({ challenge, rpId, known }: PasskeyChallenge): Promise<PasskeyAssertion> {
  const { startAuthentication } = await loadWebAuthn()
  return await startAuthentication({
    optionsJSON: {
      challenge,
      rpId,
      userVerification: 'required',
      ...(known.length > 0 && { allowCredentials: toDescriptors(known) }),
    },
  })
}

/** Signs in whomever the chosen passkey belongs to. */
export async function signInWithPasskey(): Promise<PasskeySignedIn> {
  const credential = await signChallenge(await call(api.passkeys.challenge))
  return await call(api.passkeys.login, { body: { credential } })
}

/** A recent sign-in again for whoever is signed in. */
export async function confirmWithPasskey(): Promise<void> {
  const passkey = await signChallenge(await call(api.accounts.confirmationChallenge))
  await call(api.accounts.confirmIdentity, { body: { passkey } })
}

/** What to say of a passkey that did not work; null where the person closed the browser's own dialog. */
export function passkeyErrorMessage(problem: unknown, fallback: string): string | null {
  if (problem instanceof ApiError) return errorMessage(problem, fallback)
  const name = problem instanceof Error ? problem.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') return null
  return name === 'InvalidStateError' ? 'This device has one of your passkeys already' : fallback
}
