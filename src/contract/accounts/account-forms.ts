import * as v from 'valibot'
import { RestaurantName, TimeZone, textField } from '../primitives.ts'
import { CurrentPassword, EnteredPassword, NewPassword } from './passwords.ts'
import { SecondFactorCode } from './second-factors.ts'

export const EnteredRestaurantName = textField('Please enter your restaurant name', 200)
export const EnteredUsername = textField('Please enter your username', 256)

export const Email = v.pipe(
  v.string('Please enter your email'),
  v.trim(),
  v.minLength(1, 'Please enter your email'),
  v.maxLength(254, 'Please enter a valid email'),
  v.email('Please enter a valid email'),
)

export const RestaurantSignup = v.object({
  restaurantName: RestaurantName,
  email: Email,
  password: NewPassword,
  timeZone: v.optional(v.fallback(TimeZone, 'UTC')),
})
export type RestaurantSignup = v.InferOutput<typeof RestaurantSignup>

/** A visitor's own demo restaurant. */
export const TryDemo = v.object({ timeZone: v.optional(v.fallback(TimeZone, 'UTC')) })
export type TryDemo = v.InferOutput<typeof TryDemo>

export const RestaurantLogin = v.object({ restaurantName: EnteredRestaurantName, password: EnteredPassword })
export type RestaurantLogin = v.InferOutput<typeof RestaurantLogin>

/** The account's password, which opens both Restaurant Login and Admin Login. */
export const RestaurantPassword = v.object({
  password: NewPassword,
  /** If the account has one already. */
  currentPassword: v.optional(CurrentPassword),
})
export type RestaurantPassword = v.InferOutput<typeof RestaurantPassword>

export const UsernameLogin = v.object({ username: EnteredUsername, password: EnteredPassword })
export type UsernameLogin = v.InferOutput<typeof UsernameLogin>

/** The login of an owner or manager, with a code if the account requires one. */
export const SecondFactorLogin = v.object({ ...UsernameLogin.entries, code: v.optional(SecondFactorCode) })

export const chooseRestaurantMessage = 'Please choose your restaurant'
/** The name chooses where the password is right for several restaurants of one e-mail address. */
export const OwnerLogin = v.object({
  ...SecondFactorLogin.entries,
  restaurantName: v.optional(textField(chooseRestaurantMessage, 200)),
})
export type OwnerLogin = v.InferOutput<typeof OwnerLogin>

export const ManagementLogin = v.object({
  ...SecondFactorLogin.entries,
  restaurantName: v.optional(EnteredRestaurantName),
})
export type ManagementLogin = v.InferOutput<typeof ManagementLogin>

const allFieldsMessage = 'Please fill in all fields'
export const ManagerSetup = v.object({
  restaurantName: textField(allFieldsMessage, 200),
  username: textField(allFieldsMessage, 80),
  password: v.pipe(v.string(allFieldsMessage), v.minLength(1, allFieldsMessage), NewPassword),
})
export type ManagerSetup = v.InferOutput<typeof ManagerSetup>

const bothFieldsMessage = 'Please fill in both username and password'
export const ManagerCredentials = v.object({
  username: textField(bothFieldsMessage, 80),
  password: v.pipe(v.string(bothFieldsMessage), v.minLength(1, bothFieldsMessage), NewPassword),
  /** The current password of the manager whose password another manager changes. */
  currentPassword: v.optional(CurrentPassword),
  /** Whether the caller expects a new or an existing manager. If missing, either is accepted. */
  meant: v.optional(v.picklist(['new', 'existing'])),
})
export type ManagerCredentials = v.InferOutput<typeof ManagerCredentials>

export const RestaurantSetup = v.object({
  restaurantName: RestaurantName,
  timeZone: v.optional(v.fallback(TimeZone, 'UTC')),
})
export type RestaurantSetup = v.InferOutput<typeof RestaurantSetup>

/** Why a sign-in with OpenID Connect ended at Admin Login: `problem` in the page's address, and its message. */
export const signInProblemMessages = {
  cancelled: 'The sign-in was cancelled.',
  expired: 'This sign-in took too long or was used already. Please try again.',
  unavailable: 'The sign-in service cannot be reached right now. Please try again later.',
  failed: 'The sign-in service did not confirm who you are. Please try again.',
  busy: 'Too many attempts. Please try again later.',
} as const
export type SignInProblem = keyof typeof signInProblemMessages
