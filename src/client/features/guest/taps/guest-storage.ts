import { visitDurationMs } from '#contract/requests/requests.ts'
import { removeStored, listGuestKeys, getStored, setStored } from '../../../lib/browser/browser-storage.ts'

/** Remembers for one visit that this device sent the request, and so may cancel it, and what the guest last wrote. */
export function rememberOwnRequest(requestId: string, at: number, note?: string): void {
  setStored(`asked_${requestId}`, `${at} ${note ?? recallOwnNote(requestId)}`.trim())
}

export const recallOwnNote = (requestId: string): string =>
  getStored(`asked_${requestId}`)?.replace(/^\d+ ?/, '') ?? ''

/** A cancelled request no longer belongs to this device, until the device sends it again. */
export const forgetOwnRequest = (requestId: string): void => removeStored(`asked_${requestId}`)

export const isOwnRequest = (requestId: string): boolean => getStored(`asked_${requestId}`) !== null

/** Whether this device has asked for anything lately. */
export const hasAsked = (): boolean => listGuestKeys('asked').length > 0

export function forgetOldRequests(now: number): void {
  for (const key of listGuestKeys('asked'))
    if (now - Number.parseInt(getStored(key) ?? '') > visitDurationMs) removeStored(key)
}

const codeKey = (restaurantId: string, tableNumber: string): `code_${string}` =>
  `code_${restaurantId}_${tableNumber}`

/** Keeps the proof from a printed code; an empty table number stands for the whole restaurant. */
export function rememberCodeProof(restaurantId: string, tableNumber: string, k: string): void {
  setStored(codeKey(restaurantId, tableNumber), k)
}

export const recallCodeProof = (restaurantId: string, tableNumber: string): string | null =>
  getStored(codeKey(restaurantId, tableNumber)) ?? getStored(codeKey(restaurantId, ''))
