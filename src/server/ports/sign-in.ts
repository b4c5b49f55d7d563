import type { CreatedCredential, PasskeyAssertion } from '#contract/accounts/passkeys.ts'

/**
 * The caller whose passwords are hashed one after the other, and the account that strangers try to sign in to. Places
 * are kept for callers of either standing: `known` has signed in to the account before or is signed in, `named` gave
 * the name of a restaurant that exists.
 */
export type QueueKey = { of: string; account?: string; standing?: Standing }

export type Standing = 'known' | 'named'

export type Passwords = {
  hash(password: string, key: QueueKey): Promise<string>
  /** Takes as long for `null`, an account that does not exist, as for one that does. */
  verify(hash: string | null, password: string, key: QueueKey): Promise<boolean>
  isCommon(password: string): boolean
}

/** Where a passkey is valid: `rpId` is the host it is created for, `origin` the page that may use it. */
export type PasskeySite = { rpId: string; origin: string }

type Expected = PasskeySite & { challenge: string }

/** Verifies what browsers return. Both require user verification; null means that verification failed. */
export type WebAuthn = {
  verifyCreated(
    credential: CreatedCredential,
    expected: Expected,
  ): Promise<{ credentialId: string; publicKey: string; counter: number } | null>
  /** `counter` is the authenticator's signature counter. */
  verifyAssertion(
    assertion: PasskeyAssertion,
    expected: Expected,
    publicKey: string,
  ): Promise<{ counter: number } | null>
}
