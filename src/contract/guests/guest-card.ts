import * as v from 'valibot'
import { isStorableText, maxCharacters } from '../primitives.ts'

const linkMessage = 'Please enter a link that begins with https://'

/** Nothing that hides where it leads: no name before the host, and no characters that addresses skip. */
function isWebLink(text: string): boolean {
  const url = /^\S+$/u.test(text) && isStorableText(text) ? URL.parse(text) : null
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}

/** Empty if there is none. */
const OptionalLink = v.pipe(
  v.string(linkMessage),
  v.trim(),
  maxCharacters(500),
  v.check((text) => text === '' || isWebLink(text), linkMessage),
  v.transform((text) => URL.parse(text)?.href ?? ''),
)

const wifiNameMessage = 'The network name is too long or has hidden characters'
const wifiPasswordMessage = 'A Wi-Fi password must have 8 to 63 characters'
/** What a phone would not type or show. */
const isTyped = (text: string): boolean => !/\p{C}/u.test(text)

/** Each is empty if there is none; a Wi-Fi without a password is open. */
const cardFields = {
  menu: OptionalLink,
  pay: OptionalLink,
  wifiName: v.pipe(
    v.string(wifiNameMessage),
    v.trim(),
    v.check((text) => isTyped(text) && new TextEncoder().encode(text).length <= 32, wifiNameMessage),
  ),
  wifiPassword: v.pipe(
    v.string(wifiPasswordMessage),
    v.check((text) => text === '' || (isTyped(text) && /^.{8,63}$/u.test(text)), wifiPasswordMessage),
  ),
}

const isWifiNamed = ({ wifiName, wifiPassword }: { wifiName: string; wifiPassword: string }): boolean =>
  wifiName !== '' || wifiPassword === ''
const unnamedMessage = 'Please enter the name of the Wi-Fi'

/** What guests find beside their requests. */
export const GuestCard = v.pipe(
  v.object(cardFields),
  v.forward(
    v.check((card) => isWifiNamed(card), unnamedMessage),
    ['wifiName'],
  ),
)
export type GuestCard = v.InferOutput<typeof GuestCard>

/**
 * With `was`, what the caller saw on the card, only the difference is applied. What somebody else has changed meanwhile
 * in another way is refused as a conflict.
 */
export const GuestCardChange = v.pipe(
  v.object({
    ...cardFields,
    was: v.optional(
      v.object({ menu: v.string(), pay: v.string(), wifiName: v.string(), wifiPassword: v.string() }),
    ),
  }),
  v.forward(
    v.check((card) => isWifiNamed(card), unnamedMessage),
    ['wifiName'],
  ),
)
export type GuestCardChange = v.InferOutput<typeof GuestCardChange>

/** A guest's page with what is on the card. */
export type GuestCardView = {
  restaurantName: string
  tableNumber: string
  menu: string
  pay: string
  /** `locked`: only for guests who have scanned the code on their table. */
  wifi: { name: string; password: string; qrCode: string } | 'locked' | null
  /** As in `OpeningHours`. */
  hours: readonly { from: string; to: string }[][] | null
  /** The weekday there, Monday is 0. */
  today: number
}
