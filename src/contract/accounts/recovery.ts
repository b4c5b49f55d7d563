import * as v from 'valibot'
import { Id, textField, Timestamp } from '../primitives.ts'
import { Email, EnteredRestaurantName, EnteredUsername } from './account-forms.ts'
import { NewPassword } from './passwords.ts'

/** The number of recovery codes that the signed-in owner or manager has left. */
export const RecoveryCodes = v.object({ left: v.number(), createdAt: v.nullable(Timestamp) })
export type RecoveryCodes = v.InferOutput<typeof RecoveryCodes>

/** Shown only once: the server stores digests. */
export const NewRecoveryCodes = v.object({ codes: v.array(v.string()) })
export type NewRecoveryCodes = v.InferOutput<typeof NewRecoveryCodes>

/** For the owner's forgotten password or, with a username, a manager's. */
export const CodeRecovery = v.object({
  /** The restaurant's name. An owner may give the e-mail address instead. */
  restaurantName: EnteredRestaurantName,
  username: v.optional(EnteredUsername),
  code: textField('Please enter a recovery code', 100),
  password: NewPassword,
})
export type CodeRecovery = v.InferOutput<typeof CodeRecovery>

/** Whose owner wants a link by e-mail: the restaurant's name, or the e-mail address. */
export const LinkRequest = v.object({ restaurantName: EnteredRestaurantName })
export type LinkRequest = v.InferOutput<typeof LinkRequest>

export const NewOwnerEmail = v.object({ email: Email })
export type NewOwnerEmail = v.InferOutput<typeof NewOwnerEmail>

export const OwnerEmail = v.object({ email: v.string() })
export type OwnerEmail = v.InferOutput<typeof OwnerEmail>

/** With the one-time link that `npm run reset-password` prints, or that was mailed. */
export const LinkRecovery = v.object({
  token: textField('This link is not complete', 100),
  password: NewPassword,
})
export type LinkRecovery = v.InferOutput<typeof LinkRecovery>

/** What the operator's link also ended. */
export type EndedSecondFactors = 'authenticator' | 'passkeys' | 'authenticator-and-passkeys'

/** What an owner should learn at the next sign-in, because somebody else may have done it. */
export const OwnerNotice = v.object({
  id: Id,
  at: Timestamp,
  kind: v.picklist([
    'manager-set-up-by-device',
    'password-reset-by-code',
    'password-reset-by-link',
    'password-reset-by-email',
    'email-changed',
    'manager-password-reset',
    /** Shown until the owner has created some. */
    'no-recovery-codes',
    /** A visitor's own demo; `at` is when everything in it is erased. */
    'demo',
  ]),
  /** The manager's username; with `password-reset-by-link` what else it ended (`EndedSecondFactors`). */
  about: v.nullable(v.string()),
})
export type OwnerNotice = v.InferOutput<typeof OwnerNotice>
