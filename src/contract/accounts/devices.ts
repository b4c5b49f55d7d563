import * as v from 'valibot'
import { Id, nameField, Timestamp, textField } from '../primitives.ts'
import { NewPassword } from './passwords.ts'

const DeviceName = nameField('Please enter a name', 40)

/** If missing or blank, the device is named after its browser. */
const OptionalDeviceName = v.optional(v.union([v.pipe(v.string(), v.trim(), v.literal('')), DeviceName]))

const wrongDigitsMessage = 'Please enter the six digits'
/** Spaces are allowed, as in "482 917". */
const CodeDigits = v.pipe(
  v.string(wrongDigitsMessage),
  v.maxLength(20, wrongDigitsMessage),
  v.transform((typed) => typed.replace(/[\s-]/gu, '')),
  v.regex(/^\d{6}$/u, wrongDigitsMessage),
)

const LinkToken = v.pipe(v.string('Link not found'), v.regex(/^[\w-]{32}$/u, 'Link not found'))

/** Six digits are too few to be unique, so they are valid only together with the restaurant's name. */
export const DeviceLogin = v.object({
  restaurantName: textField('Please enter your restaurant name', 200),
  digits: CodeDigits,
  deviceName: OptionalDeviceName,
})
export type DeviceLogin = v.InferOutput<typeof DeviceLogin>

export const DeviceLink = v.object({ token: LinkToken })
export type DeviceLink = v.InferOutput<typeof DeviceLink>

export const DeviceLinkLogin = v.object({ token: LinkToken, deviceName: OptionalDeviceName })
export type DeviceLinkLogin = v.InferOutput<typeof DeviceLinkLogin>

/** Shown only once: the server keeps no more than it needs to verify them. */
export const NewDeviceCode = v.object({
  id: Id,
  digits: v.string(),
  link: v.string(),
  /** The link as a QR code, in a data URL. */
  qr: v.string(),
  expiresAt: Timestamp,
})
export type NewDeviceCode = v.InferOutput<typeof NewDeviceCode>

export const DeviceCodeState = v.object({
  /** `link-only`: too many wrong attempts at the digits. */
  state: v.picklist(['open', 'link-only', 'used', 'over']),
  /** The name of the device that used it. */
  usedBy: v.nullable(v.string()),
})
export type DeviceCodeState = v.InferOutput<typeof DeviceCodeState>

export const DeviceChange = v.object({ name: DeviceName })
export type DeviceChange = v.InferOutput<typeof DeviceChange>

export const SignedInDevice = v.object({
  id: Id,
  /** The name it was given, or else its browser. */
  name: v.string(),
  browser: v.nullable(v.string()),
  /** `crew-login`: with a crew member's own username and password. */
  via: v.picklist(['password', 'staff-password', 'device-code', 'demo-link', 'crew-login']),
  /** The person, if somebody signed in with their own login. */
  person: v.nullable(v.string()),
  signedInAt: Timestamp,
  /** Exact to a few minutes. */
  lastUsedAt: Timestamp,
  isThisDevice: v.boolean(),
  /** The owner is signed in on it, so only the owner may sign it out. */
  isOwners: v.boolean(),
  /** Idle for so long that it must sign in again, although it still receives alerts. */
  isAlertedOnly: v.boolean(),
})
export type SignedInDevice = v.InferOutput<typeof SignedInDevice>

/** A browser in which an owner or manager is signed in. */
export const OwnSession = v.object({
  id: Id,
  name: v.string(),
  signedInAt: Timestamp,
  /** Exact to a few minutes. */
  lastUsedAt: Timestamp,
  isThisBrowser: v.boolean(),
})
export type OwnSession = v.InferOutput<typeof OwnSession>

export const StaffPassword = v.object({ password: NewPassword })
export type StaffPassword = v.InferOutput<typeof StaffPassword>

export const StaffPasswordState = v.object({ setAt: v.nullable(Timestamp) })
export type StaffPasswordState = v.InferOutput<typeof StaffPasswordState>
