import { visitDurationMs } from '#contract/requests/requests.ts'
import { type Store, withMemoryFallback } from '../../../lib/browser/memory-fallback.ts'

/**
 * The start of a visit in milliseconds, a guest's tap or note until the server has stored it, a request this device
 * sent, the proof of a printed code.
 */
type GuestKey = `session_${string}_${string}` | `${'ask' | 'asked' | 'note' | 'code'}_${string}`

/** What the guest page keeps on the device. */
export const guestStorage: Omit<Store<GuestKey>, 'clear'> = withMemoryFallback(() => localStorage)

export function listGuestKeys(kind: 'ask' | 'asked' | 'note'): GuestKey[] {
  const matches = (key: string): key is GuestKey => key.startsWith(`${kind}_`)
  return guestStorage.keys().filter(matches)
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
