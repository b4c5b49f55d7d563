import { hourMs } from '#contract/durations.ts'
import { visitDurationMs } from '#contract/requests/requests.ts'
import { type Store, withMemoryFallback } from '../../../lib/browser/memory-fallback.ts'
import { newSecret } from '../../../lib/new-id.ts'

/**
 * The start of a visit in milliseconds, a guest's tap or note until the server has stored it, a request this device
 * sent, the proof of a printed code; and the id of the device.
 */
type GuestKey = 'device' | `session_${string}_${string}` | `${'ask' | 'asked' | 'note' | 'code'}_${string}`

/** What the guest page keeps on the device. */
export const guestStorage: Omit<Store<GuestKey>, 'clear'> = withMemoryFallback(() => localStorage)

export function listGuestKeys(kind: 'ask' | 'asked' | 'note'): GuestKey[] {
  const matches = (key: string): key is GuestKey => key.startsWith(`${kind}_`)
  return guestStorage.keys().filter(matches)
}

/** As long as the cookie's. */
const lifetimeMs = 4 * hourMs

/**
 * Stands in for the cookie that the server gives, which this page cannot see: all that is sent before the answer has
 * brought it comes from one device. As secret as that cookie, and another one once it would have ended.
 */
export function deviceHeader(): { 'guest-device': string } {
  const now = Date.now()
  const [since, kept] = guestStorage.get('device')?.split(' ') ?? []
  if (kept && now - Number(since) < lifetimeMs) return { 'guest-device': kept }
  const id = newSecret()
  guestStorage.set('device', `${now} ${id}`)
  return { 'guest-device': id }
}

/** Remembers for one visit that this device sent the request, and so may cancel it, and what the guest last wrote. */
export function rememberOwnRequest(requestId: string, at: number, note?: string): void {
  guestStorage.set(`asked_${requestId}`, `${at} ${note ?? recallOwnNote(requestId)}`.trim())
}

export const recallOwnNote = (requestId: string): string =>
  guestStorage.get(`asked_${requestId}`)?.replace(/^\d+ ?/, '') ?? ''

/** A cancelled request no longer belongs to this device, until the device sends it again. */
export const forgetOwnRequest = (requestId: string): void => guestStorage.remove(`asked_${requestId}`)

export const isOwnRequest = (requestId: string): boolean => guestStorage.get(`asked_${requestId}`) !== null

/** Whether this device has asked for anything lately. */
export const hasAsked = (): boolean => listGuestKeys('asked').length > 0

export function forgetOldRequests(now: number): void {
  for (const key of listGuestKeys('asked'))
    if (now - Number.parseInt(guestStorage.get(key) ?? '') > visitDurationMs) guestStorage.remove(key)
}

const codeKey = (restaurantId: string, tableNumber: string): `code_${string}` =>
  `code_${restaurantId}_${tableNumber}`

/** Keeps the proof from a printed code; an empty table number stands for the whole restaurant. */
export function rememberCodeProof(restaurantId: string, tableNumber: string, k: string): void {
  guestStorage.set(codeKey(restaurantId, tableNumber), k)
}

export const recallCodeProof = (restaurantId: string, tableNumber: string): string | null =>
  guestStorage.get(codeKey(restaurantId, tableNumber)) ?? guestStorage.get(codeKey(restaurantId, ''))
