import * as v from 'valibot'
import { Id, Timestamp, textField } from '../primitives.ts'

/** COSE identifiers of Ed25519, ES256 and RS256. Every authenticator supports at least one of them. */
export const passkeyAlgorithms = [-8, -7, -257]

export const passkeyNameLength = 80

/** 1,023 bytes in base64url, the longest that authenticators use. */
export const credentialIdLength = 1_364

const unreadableMessage = 'This passkey could not be read. Please try again.'
const base64Url = (most: number) =>
  v.pipe(
    v.string(unreadableMessage),
    v.maxLength(most, unreadableMessage),
    v.regex(/^[\w-]+$/u, unreadableMessage),
  )

const CredentialId = base64Url(credentialIdLength)

/** How a browser can reach the authenticator, such as `internal` or `usb`. */
const Transports = v.pipe(
  v.array(
    v.pipe(v.string(unreadableMessage), v.regex(/^[\w-]{1,20}$/u, unreadableMessage)),
    unreadableMessage,
  ),
  v.maxLength(10, unreadableMessage),
)

const KnownCredential = v.object({ id: v.string(), transports: v.array(v.string()) })

/** What a browser needs to create a passkey. */
export const PasskeySetup = v.object({
  challenge: v.string(),
  rpId: v.string(),
  user: v.object({ id: v.string(), name: v.string(), displayName: v.string() }),
  /** The person's existing passkeys, so that an authenticator is not added twice. */
  known: v.array(KnownCredential),
})
export type PasskeySetup = v.InferOutput<typeof PasskeySetup>

/** What a browser needs to use a passkey. `known` is empty if the passkey itself identifies the person. */
export const PasskeyChallenge = v.object({
  challenge: v.string(),
  rpId: v.string(),
  known: v.array(KnownCredential),
})
export type PasskeyChallenge = v.InferOutput<typeof PasskeyChallenge>

const credential = <R extends v.ObjectEntries>(response: R) =>
  v.object({ id: CredentialId, response: v.object(response, unreadableMessage) }, unreadableMessage)

/** The parts that we need of what `navigator.credentials.create` returns. */
export const CreatedCredential = credential({
  clientDataJSON: base64Url(4_000),
  attestationObject: base64Url(40_000),
  transports: v.optional(Transports),
})
export type CreatedCredential = v.InferOutput<typeof CreatedCredential>

/** The parts that we need of what `navigator.credentials.get` returns. */
export const PasskeyAssertion = credential({
  clientDataJSON: base64Url(4_000),
  authenticatorData: base64Url(4_000),
  signature: base64Url(4_000),
  userHandle: v.optional(base64Url(100)),
})
export type PasskeyAssertion = v.InferOutput<typeof PasskeyAssertion>

export const NewPasskey = v.object({
  name: textField('Please enter a name', passkeyNameLength),
  credential: CreatedCredential,
})
export type NewPasskey = v.InferOutput<typeof NewPasskey>

export const PasskeyLogin = v.object({ credential: PasskeyAssertion })
export type PasskeyLogin = v.InferOutput<typeof PasskeyLogin>

/** Who signed in, as identified by the passkey. */
export const PasskeySignedIn = v.object({
  restaurantName: v.string(),
  as: v.picklist(['owner', 'manager']),
})
export type PasskeySignedIn = v.InferOutput<typeof PasskeySignedIn>

export const Passkey = v.object({
  id: Id,
  name: v.string(),
  createdAt: Timestamp,
  lastUsedAt: v.nullable(Timestamp),
})
export type Passkey = v.InferOutput<typeof Passkey>

export const OwnPasskeys = v.object({
  /** Why passkeys are not available at this address; null if they are. */
  unavailable: v.nullable(v.string()),
  passkeys: v.array(Passkey),
})
export type OwnPasskeys = v.InferOutput<typeof OwnPasskeys>
