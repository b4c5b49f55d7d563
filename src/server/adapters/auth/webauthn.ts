import { credentialIdLength, passkeyAlgorithms } from '#contract/accounts/passkeys.ts'
import type { WebAuthn } from '../../ports/sign-in.ts'

/** Loaded on demand: it takes longer than the rest of the start, and most people never use a passkey. */
const loadLibrary = () => import('@simplewebauthn/server')

/** The library throws for everything that it does not accept. */
async function nullOnError<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify()
  } catch {
    return null
  }
}

export const createWebAuthn = (): WebAuthn => ({
  async verifyCreated({ id, response }, { challenge, origin, rpId }) {
    const { verifyRegistrationResponse } = await loadLibrary()
    const verified = await nullOnError(() =>
      verifyRegistrationResponse({
        response: {
          id,
          rawId: id,
          type: 'public-key',
          clientExtensionResults: {},
          response: {
            clientDataJSON: response.clientDataJSON,
            attestationObject: response.attestationObject,
          },
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: passkeyAlgorithms,
      }),
    )
    if (!verified?.verified) return null
    const { credential } = verified.registrationInfo
    if (credential.id.length > credentialIdLength) return null
    const publicKey = Buffer.from(credential.publicKey).toString('base64url')
    return { credentialId: credential.id, publicKey, counter: credential.counter }
  },

  async verifyAssertion({ id, response }, { challenge, origin, rpId }, publicKey) {
    const { verifyAuthenticationResponse } = await loadLibrary()
    const { userHandle, ...signed } = response
    const verified = await nullOnError(() =>
      verifyAuthenticationResponse({
        response: {
          id,
          rawId: id,
          type: 'public-key',
          clientExtensionResults: {},
          response: { ...signed, ...(userHandle !== undefined && { userHandle }) },
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        // The counter is compared where it is stored, in one step.
        credential: { id, publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64url')), counter: 0 },
      }),
    )
    return verified?.verified ? { counter: verified.authenticationInfo.newCounter } : null
  },
})
