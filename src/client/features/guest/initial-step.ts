import type { GuestPage } from '#contract/visits.ts'
import { type GuestState, menuStep } from './guest-flow.ts'

/** The first step, by the link and what the server found for it. */
export function initialStep({
  given,
  restaurantName,
  problem,
  expired,
  sent,
  manual,
}: GuestPage): GuestState {
  const { restaurantId, tableNumber, k } = given
  if (restaurantId === null) {
    return manual ? { step: 'table-entry', restaurantId: null, k: null, problem: null } : { step: 'qr-scan' }
  }
  if (tableNumber === null || problem !== null) {
    // Only an unknown restaurant is asked for again.
    return { step: 'table-entry', restaurantId: restaurantName === null ? null : restaurantId, k, problem }
  }
  const place = { restaurantId, tableNumber, k }
  if (sent && !expired) return { step: 'confirmation', place, serviceType: sent.serviceType }
  return menuStep(place, expired ? 'expired' : 'fresh')
}
