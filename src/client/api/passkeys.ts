import {
  type Passkey,
  type PasskeyAssertion,
  type PasskeyChallenge,
  type PasskeySignedIn,
  passkeyAlgorithms,
} from '#contract/accounts/passkeys.ts'
import { api } from '#contract/api.ts'
import { ApiError, call, errorMessage } from './http.ts'

/** In a file of its own: few people use passkeys. */
const loadWebAuthn = async () => await import('@simplewebauthn/browser')

/** The page says for which host passkeys are made, if for any. */
export const canUsePasskeys = (): boolean =>
  document.documentElement.dataset['passkeys'] === location.hostname && 'PublicKeyCredential' in window

type KnownCredentials = PasskeyChallenge['known']

const toDescriptors = (known: KnownCredentials) =>
  known.map(({ id, transports }) => ({ id, transports, type: 'public-key' as const }))

/** Has the browser create a passkey for the account that is signed in. */
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

export async function signInWithPasskey(): Promise<PasskeySignedIn> {
  const credential = await signChallenge(await call(api.passkeys.challenge))
  return await call(api.passkeys.login, { body: { credential } })
}

export async function confirmWithPasskey(): Promise<void> {
  const passkey = await signChallenge(await call(api.accounts.confirmationChallenge))
  await call(api.accounts.confirmIdentity, { body: { passkey } })
}

/** Null when the person closed the browser's own dialog. */
export function passkeyErrorMessage(error: unknown, fallback: string): string | null {
  if (error instanceof ApiError) return errorMessage(error, fallback)
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') return null
  return name === 'InvalidStateError' ? 'This device has one of your passkeys already' : fallback
}
