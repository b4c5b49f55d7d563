import type { GuestPage } from '#contract/visits.ts'
import { type GuestFlow, menu } from './guest-flow.ts'

/** Where the flow starts, by the link and by what the server found under it. */
export function firstStep({ given, restaurantName, problem, expired, sent, manual }: GuestPage): GuestFlow {
  const { restaurantId, tableNumber, k } = given
  if (restaurantId === null) {
    return manual ? { step: 'table-entry', restaurantId: null, k: null, problem: null } : { step: 'qr-scan' }
  }
  if (tableNumber === null || problem !== null) {
    // A restaurant that does not exist can be corrected; one that does needs no asking.
    return { step: 'table-entry', restaurantId: restaurantName === null ? null : restaurantId, k, problem }
  }
  const place = { restaurantId, tableNumber, k }
  if (sent && !expired) return { step: 'confirmation', place, serviceType: sent.serviceType }
  return menu(place, expired ? 'expired' : 'fresh')
}
