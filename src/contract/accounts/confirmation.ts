import * as v from 'valibot'
import { PasskeyAssertion } from './passkeys.ts'
import { EnteredPassword } from './passwords.ts'

/** The account whose owner or manager may confirm their identity in this browser, and how. */
export const ConfirmableIdentity = v.object({
  kind: v.picklist(['owner', 'manager']),
  /** The e-mail address or username, shown so that nobody types another account's password. */
  name: v.string(),
  /** Whether operations that need a recent sign-in are allowed already. */
  recent: v.boolean(),
  /** Whether they can type their password. */
  password: v.boolean(),
  /** Whether they can use a passkey. */
  passkey: v.boolean(),
  /** Whether they can sign in again with the OpenID Connect provider. */
  provider: v.boolean(),
})
export type ConfirmableIdentity = v.InferOutput<typeof ConfirmableIdentity>

/** Exactly one of the two. */
export const IdentityConfirmation = v.pipe(
  v.object({ password: v.optional(EnteredPassword), passkey: v.optional(PasskeyAssertion) }),
  v.check(
    ({ password, passkey }) => password !== undefined || passkey !== undefined,
    'Please enter your password',
  ),
)
export type IdentityConfirmation = v.InferOutput<typeof IdentityConfirmation>
