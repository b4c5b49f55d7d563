import * as v from 'valibot'
import { CrewRole } from './crew.ts'
import { Id, RestaurantName, TimeZone, textField } from './primitives.ts'
import { SecondFactorCode } from './second-factors.ts'

export const passwordMinLength = 6
const tooShortMessage = `Password must be at least ${passwordMinLength} characters`

/** A password to be kept: nothing is trimmed or normalised in it. */
export const NewPassword = v.pipe(
  v.string(tooShortMessage),
  v.minLength(passwordMinLength, tooShortMessage),
  v.maxLength(256, 'Please use at most 256 characters'),
)
/** A password to be checked: its rules are nobody's business at a login. */
export const EnteredPassword = v.pipe(
  v.string('Please enter your password'),
  v.minLength(1, 'Please enter your password'),
  v.maxLength(256, 'Invalid credentials'),
)
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

export const RestaurantLogin = v.object({ restaurantName: EnteredRestaurantName, password: EnteredPassword })
export type RestaurantLogin = v.InferOutput<typeof RestaurantLogin>

/** The account's password: of Restaurant Login, and of Admin Login too. */
export const RestaurantPassword = v.object({
  password: NewPassword,
  /** Where there is one already. */
  currentPassword: v.optional(v.pipe(v.string(), v.maxLength(256, 'Invalid credentials'))),
})
export type RestaurantPassword = v.InferOutput<typeof RestaurantPassword>

export const UsernameLogin = v.object({ username: EnteredUsername, password: EnteredPassword })
export type UsernameLogin = v.InferOutput<typeof UsernameLogin>

/** The login of an owner or manager, with a code where the account asks for one. */
export const SecondFactorLogin = v.object({ ...UsernameLogin.entries, code: v.optional(SecondFactorCode) })
export type SecondFactorLogin = v.InferOutput<typeof SecondFactorLogin>

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
  /** Of that manager, where another manager changes the password. */
  currentPassword: v.optional(v.pipe(v.string(), v.maxLength(256, 'Invalid credentials'))),
  /** Whose they are meant to be: a manager to come, or one there is. Without it they are set for either. */
  meant: v.optional(v.picklist(['new', 'existing'])),
})
export type ManagerCredentials = v.InferOutput<typeof ManagerCredentials>

export const RestaurantSetup = v.object({
  restaurantName: RestaurantName,
  timeZone: v.optional(v.fallback(TimeZone, 'UTC')),
})
export type RestaurantSetup = v.InferOutput<typeof RestaurantSetup>

export const SubscriptionStatus = v.picklist(['active', 'inactive'])

/** The signed-in owner. `restaurantName` is null between a first sign-in and onboarding. */
export const CurrentUser = v.object({
  restaurantName: v.nullable(v.string()),
  email: v.string(),
  subscriptionStatus: SubscriptionStatus,
})
export type CurrentUser = v.InferOutput<typeof CurrentUser>

/** A manager sees the restaurant's name and the current manager's only. */
export const AdminUser = v.object({
  restaurantName: v.string(),
  subscriptionStatus: v.optional(SubscriptionStatus),
  customerId: v.optional(v.string()),
  managerUsername: v.nullable(v.string()),
  /** All of them, the current one first. */
  managers: v.optional(v.array(v.object({ id: Id, username: v.string() }))),
  /** False for who only ever signed in through OpenID Connect: no device can sign in yet. */
  hasPassword: v.optional(v.boolean()),
})
export type AdminUser = v.InferOutput<typeof AdminUser>

export const SignedInRestaurant = v.object({ restaurantName: v.string() })
export type SignedInRestaurant = v.InferOutput<typeof SignedInRestaurant>

export const SignedInCrew = v.object({
  restaurantId: v.string(),
  crewMemberId: Id,
  crewMemberName: v.string(),
  role: CrewRole,
})
export type SignedInCrew = v.InferOutput<typeof SignedInCrew>

/** Why the OpenID Connect provider led to Admin Login: `problem` in that page's address, and what it says. */
export const signInProblemMessages = {
  cancelled: 'The sign-in was cancelled.',
  expired: 'This sign-in took too long or was used already. Please try again.',
  unavailable: 'The sign-in service cannot be reached right now. Please try again later.',
  failed: 'The sign-in service did not confirm who you are. Please try again.',
  busy: 'Too many attempts. Please try again later.',
} as const
export type SignInProblem = keyof typeof signInProblemMessages

export const HasCredentials = v.object({ hasCredentials: v.boolean() })
export type HasCredentials = v.InferOutput<typeof HasCredentials>

/** What this browser is signed in to: a new tab knows nothing else of it. */
export const StaffSession = v.object({
  restaurantName: v.nullable(v.string()),
  grants: v.array(v.picklist(['device', 'crew', 'manager', 'owner'])),
  /** Whom a crew login acts as. */
  crewMember: v.nullable(v.object({ id: Id, name: v.string(), role: CrewRole })),
})
export type StaffSession = v.InferOutput<typeof StaffSession>
