import * as v from 'valibot'
import { NewPassword } from './accounts.ts'
import { Id, nameField, Timestamp, textField } from './primitives.ts'

const DeviceName = nameField('Please enter a name', 40)

/** Left out or blank: it is called by its browser. */
const OptionalDeviceName = v.optional(v.union([v.pipe(v.string(), v.trim(), v.literal('')), DeviceName]))

const wrongDigitsMessage = 'Please enter the six digits'
/** As people write them: "482 917" too. */
const CodeDigits = v.pipe(
  v.string(wrongDigitsMessage),
  v.maxLength(20, wrongDigitsMessage),
  v.transform((typed) => typed.replace(/[\s-]/gu, '')),
  v.regex(/^\d{6}$/u, wrongDigitsMessage),
)

const LinkToken = v.pipe(v.string('Link not found'), v.regex(/^[\w-]{32}$/u, 'Link not found'))

/** Six digits say too little to stand alone: they count for the restaurant that is named with them. */
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

/** Told once: only what proves them is kept. */
export const NewDeviceCode = v.object({
  id: Id,
  digits: v.string(),
  link: v.string(),
  /** The link as a picture, a data URL. */
  qr: v.string(),
  expiresAt: Timestamp,
})
export type NewDeviceCode = v.InferOutput<typeof NewDeviceCode>

export const DeviceCodeState = v.object({
  /** `link-only`: the digits were tried wrongly too often. */
  state: v.picklist(['open', 'link-only', 'used', 'over']),
  /** What the device is called that used it. */
  usedBy: v.nullable(v.string()),
})
export type DeviceCodeState = v.InferOutput<typeof DeviceCodeState>

export const DeviceChange = v.object({ name: DeviceName })
export type DeviceChange = v.InferOutput<typeof DeviceChange>

export const SignedInDevice = v.object({
  id: Id,
  /** What people call it, or else its browser. */
  name: v.string(),
  browser: v.nullable(v.string()),
  /** `crew-login`: a crew member's own username and password. */
  via: v.picklist(['password', 'staff-password', 'device-code', 'demo-link', 'crew-login']),
  /** Whose login it is, where somebody signed in as themselves. */
  person: v.nullable(v.string()),
  signedInAt: Timestamp,
  /** Good to a few minutes. */
  lastUsedAt: Timestamp,
  isThisDevice: v.boolean(),
  /** The owner is signed in there, so only the owner may sign it out. */
  isOwners: v.boolean(),
  /** Not used for so long that it has to sign in again, though alerts still come to it. */
  isAlertedOnly: v.boolean(),
})
export type SignedInDevice = v.InferOutput<typeof SignedInDevice>

/** A browser in which an owner or manager is signed in. */
export const OwnSession = v.object({
  id: Id,
  name: v.string(),
  signedInAt: Timestamp,
  /** Good to a few minutes. */
  lastUsedAt: Timestamp,
  isThisBrowser: v.boolean(),
})
export type OwnSession = v.InferOutput<typeof OwnSession>

export const StaffPassword = v.object({ password: NewPassword })
export type StaffPassword = v.InferOutput<typeof StaffPassword>

export const StaffPasswordState = v.object({ setAt: v.nullable(Timestamp) })
export type StaffPasswordState = v.InferOutput<typeof StaffPasswordState>
