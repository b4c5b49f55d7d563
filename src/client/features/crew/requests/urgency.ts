import type { ServiceRequest } from '#contract/requests/requests.ts'
import type { Urgency } from '../../../lib/tunes.ts'
import type { Alert } from '../alerts/alerts.ts'

/** How an alert sounds: its most urgent request decides. */
export function urgencyOf({ kind, tables }: Alert, open: readonly ServiceRequest[]): Urgency {
  const levels = open
    .filter(({ state, tableNumber }) => state === 'waiting' && tables.includes(tableNumber))
    .map(({ level }) => level)
  const level = Math.max(0, ...levels)
  if (kind === 'still-waiting' || level === 2) return 'urgent'
  return kind === 'again' || level === 1 ? 'again' : 'new'
}

export const vibrations: Record<Urgency, number[]> = {
  new: [200, 100, 200],
  again: [300],
  urgent: [400, 100, 400, 100, 400],
}
