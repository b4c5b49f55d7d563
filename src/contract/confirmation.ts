import * as v from 'valibot'
import { EnteredPassword } from './accounts.ts'
import { PasskeyAssertion } from './passkeys.ts'

/** As whom the owner or manager of this browser may confirm who they are, and how. */
export const ConfirmableIdentity = v.object({
  kind: v.picklist(['owner', 'manager']),
  /** The e-mail address or username, so that nobody types another account's password. */
  name: v.string(),
  /** Whether what asks for a recent sign-in is allowed already. */
  recent: v.boolean(),
  /** By typing the password. */
  password: v.boolean(),
  /** By using one of their passkeys. */
  passkey: v.boolean(),
  /** By signing in again at the OpenID Connect provider. */
  provider: v.boolean(),
})
export type ConfirmableIdentity = v.InferOutput<typeof ConfirmableIdentity>

/** One of the two. */
export const IdentityConfirmation = v.pipe(
  v.object({ password: v.optional(EnteredPassword), passkey: v.optional(PasskeyAssertion) }),
  v.check(
    ({ password, passkey }) => password !== undefined || passkey !== undefined,
    'Please enter your password',
  ),
)
export type IdentityConfirmation = v.InferOutput<typeof IdentityConfirmation>
