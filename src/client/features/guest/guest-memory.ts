import { visitMs } from '#contract/requests.ts'
import { forget, guestKeys, recall, remember } from '../../lib/browser-storage.ts'

/** Remembers for one visit that this device asked for the request, and so may cancel it. */
export function rememberAsked(requestId: string, at: number): void {
  remember(`asked_${requestId}`, String(at))
}

/** What this device took back is not its own any more, until it asks again. */
export const forgetAsked = (requestId: string): void => forget(`asked_${requestId}`)

export const askedHere = (requestId: string): boolean => recall(`asked_${requestId}`) !== null

export function forgetOldAsks(now: number): void {
  for (const key of guestKeys('asked')) if (now - Number(recall(key)) > visitMs) forget(key)
}

const codeKey = (restaurantId: string, tableNumber: string): `code_${string}` =>
  `code_${restaurantId}_${tableNumber}`

/** Keeps the proof that a printed code carried; an empty table stands for the whole restaurant. */
export function rememberCode(restaurantId: string, tableNumber: string, k: string): void {
  remember(codeKey(restaurantId, tableNumber), k)
}

export const recallCode = (restaurantId: string, tableNumber: string): string | null =>
  recall(codeKey(restaurantId, tableNumber)) ?? recall(codeKey(restaurantId, ''))
