import * as v from 'valibot'
import { Id, Timestamp, textField } from './primitives.ts'

/** Of COSE: Ed25519, ES256 and RS256, which every authenticator can do one of. */
export const passkeyAlgorithms = [-8, -7, -257]

export const passkeyNameLength = 80

/** 1,023 bytes, base64url: no authenticator has longer ones. */
export const credentialIdLength = 1_364

const unreadableMessage = 'This passkey could not be read. Please try again.'
const base64Url = (most: number) =>
  v.pipe(
    v.string(unreadableMessage),
    v.maxLength(most, unreadableMessage),
    v.regex(/^[\w-]+$/u, unreadableMessage),
  )

const CredentialId = base64Url(credentialIdLength)

/** How a browser may reach the authenticator, such as `internal` or `usb`. */
const Transports = v.pipe(
  v.array(
    v.pipe(v.string(unreadableMessage), v.regex(/^[\w-]{1,20}$/u, unreadableMessage)),
    unreadableMessage,
  ),
  v.maxLength(10, unreadableMessage),
)

const KnownCredential = v.object({ id: v.string(), transports: v.array(v.string()) })

/** What a browser needs to make a passkey. */
export const PasskeySetup = v.object({
  challenge: v.string(),
  rpId: v.string(),
  user: v.object({ id: v.string(), name: v.string(), displayName: v.string() }),
  /** What the person has already: the same authenticator is not added twice. */
  known: v.array(KnownCredential),
})
export type PasskeySetup = v.InferOutput<typeof PasskeySetup>

/** What a browser needs to use a passkey. `known` is empty where the passkey itself says whose it is. */
export const PasskeyChallenge = v.object({
  challenge: v.string(),
  rpId: v.string(),
  known: v.array(KnownCredential),
})
export type PasskeyChallenge = v.InferOutput<typeof PasskeyChallenge>

/** What `navigator.credentials.create` answers, as far as it counts. */
export const CreatedCredential = v.object(
  {
    id: CredentialId,
    response: v.object(
      {
        clientDataJSON: base64Url(4_000),
        attestationObject: base64Url(40_000),
        transports: v.optional(Transports),
      },
      unreadableMessage,
    ),
  },
  unreadableMessage,
)
export type CreatedCredential = v.InferOutput<typeof CreatedCredential>

/** What `navigator.credentials.get` answers, as far as it counts. */
export const PasskeyAssertion = v.object(
  {
    id: CredentialId,
    response: v.object(
      {
        clientDataJSON: base64Url(4_000),
        authenticatorData: base64Url(4_000),
        signature: base64Url(4_000),
        userHandle: v.optional(base64Url(100)),
      },
      unreadableMessage,
    ),
  },
  unreadableMessage,
)
export type PasskeyAssertion = v.InferOutput<typeof PasskeyAssertion>

export const NewPasskey = v.object({
  name: textField('Please enter a name', passkeyNameLength),
  credential: CreatedCredential,
})
export type NewPasskey = v.InferOutput<typeof NewPasskey>

export const PasskeyLogin = v.object({ credential: PasskeyAssertion })
export type PasskeyLogin = v.InferOutput<typeof PasskeyLogin>

/** The passkey says who it is. */
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
  /** Why there can be none at this address; null where there can. */
  unavailable: v.nullable(v.string()),
  passkeys: v.array(Passkey),
})
export type OwnPasskeys = v.InferOutput<typeof OwnPasskeys>
