import * as v from 'valibot'
import { Timestamp } from './primitives.ts'

/** What an authenticator app shows, or a recovery code in its place. */
export const SecondFactorCode = v.pipe(
  v.string('Please enter the code'),
  v.trim(),
  v.minLength(1, 'Please enter the code'),
  v.maxLength(40, 'This code is not right'),
)

/** Whether a sign-in with the password asks for a code too. */
export const Authenticator = v.object({
  since: v.nullable(Timestamp),
  /** Who has no password signs in elsewhere, where no code of ours is asked for. */
  hasPassword: v.boolean(),
})
export type Authenticator = v.InferOutput<typeof Authenticator>

/** Shown once, to be kept in an authenticator app: as text, and as a QR code. */
export const NewAuthenticator = v.object({ secret: v.string(), svg: v.string() })
export type NewAuthenticator = v.InferOutput<typeof NewAuthenticator>

export const SecondFactorProof = v.object({ code: SecondFactorCode })
export type SecondFactorProof = v.InferOutput<typeof SecondFactorProof>
