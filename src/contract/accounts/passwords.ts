import * as v from 'valibot'

export const passwordMinLength = 6
const tooShortMessage = `Password must be at least ${passwordMinLength} characters`

/** A password to be stored. It is neither trimmed nor normalised. */
export const NewPassword = v.pipe(
  v.string(tooShortMessage),
  v.minLength(passwordMinLength, tooShortMessage),
  v.maxLength(256, 'Please use at most 256 characters'),
)
/** A password to be checked. The rules for new passwords do not apply at login. */
export const EnteredPassword = v.pipe(
  v.string('Please enter your password'),
  v.minLength(1, 'Please enter your password'),
  v.maxLength(256, 'Invalid credentials'),
)

/** Sent along with a new password, as proof that its owner is the one who changes it. */
export const CurrentPassword = v.pipe(v.string(), v.maxLength(256, 'Invalid credentials'))
