import * as v from 'valibot'
import { Timestamp } from '../primitives.ts'

/** A code from an authenticator app, or a recovery code instead. */
export const SecondFactorCode = v.pipe(
  v.string('Please enter the code'),
  v.trim(),
  v.minLength(1, 'Please enter the code'),
  v.maxLength(40, 'This code is not right'),
)

/** Whether signing in with the password also requires a code. */
export const Authenticator = v.object({
  since: v.nullable(Timestamp),
  /** An owner without a password signs in with the provider, which does not ask for our codes. */
  hasPassword: v.boolean(),
})
export type Authenticator = v.InferOutput<typeof Authenticator>

/** The secret for an authenticator app, as text and as a QR code. Shown only once. */
export const NewAuthenticator = v.object({ secret: v.string(), svg: v.string() })
export type NewAuthenticator = v.InferOutput<typeof NewAuthenticator>

export const SecondFactorProof = v.object({ code: SecondFactorCode })
export type SecondFactorProof = v.InferOutput<typeof SecondFactorProof>
