import type { GuestPage } from '#contract/guests/visits.ts'
import { refusalText } from './language.ts'
import type { Asked } from './menu/own-needs.ts'

/** A table as the guest named it; `k` is the proof from a printed code. */
export type Place = { restaurantId: string; tableNumber: string; k: string | null }

/** Before a table is known. */
export type EntryState =
  | { step: 'qr-scan' }
  | {
      step: 'table-entry'
      /** Null: the guest is asked for it. */
      restaurantId: string | null
      k: string | null
      problem: string | null
    }

export type GuestState =
  | EntryState
  | { step: 'service-selection'; place: Place }
  | { step: 'confirmation'; place: Place; asked: Asked }
  | { step: 'expired'; place: Place }

export type VisitStatus = 'fresh' | 'expired'

export type GuestEvent =
  | { type: 'manual-entry' }
  | { type: 'back-to-scan' }
  /** The code has no table, or its table was refused. */
  | { type: 'restaurant-scanned'; restaurantId: string; k: string | null; problem: string | null }
  | { type: 'table-refused'; problem: string }
  | { type: 'table-found'; place: Place; visit: VisitStatus }
  | { type: 'stored'; asked: Asked }
  | { type: 'send-another'; visit: VisitStatus }
  | { type: 'visit-expired' }
  | { type: 'reset' }

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
    return {
      step: 'table-entry',
      restaurantId: restaurantName === null ? null : restaurantId,
      k,
      problem: problem && refusalText(problem),
    }
  }
  const place = { restaurantId, tableNumber, k }
  if (sent && !expired) return { step: 'confirmation', place, asked: sent }
  return menuStep(place, expired ? 'expired' : 'fresh')
}

/** As far as it is known: a restaurant that was scanned in the page is in no address. */
export function knownPlace(flow: GuestState, { given }: GuestPage): GuestPage['given'] {
  if ('place' in flow) return flow.place
  if (flow.step !== 'table-entry' || flow.restaurantId === null) return given
  const { restaurantId, k } = flow
  return {
    ...given,
    restaurantId,
    tableNumber: restaurantId === given.restaurantId ? given.tableNumber : null,
    k,
  }
}

/** The steps of a guest at a table. Events that do not belong to a step are ignored. */
export function guestReducer(flow: GuestState, event: GuestEvent): GuestState {
  switch (flow.step) {
    case 'qr-scan':
      return reduceScan(flow, event)
    case 'table-entry':
      return reduceEntry(flow, event)
    case 'service-selection':
    case 'confirmation':
      return reduceMenu(flow, event)
    case 'expired':
      return event.type === 'reset' ? menuStep(flow.place, 'fresh') : flow
  }
}

export function menuStep(place: Place, visit: VisitStatus): GuestState {
  return { step: visit === 'fresh' ? 'service-selection' : 'expired', place }
}

function reduceScan(flow: GuestState & { step: 'qr-scan' }, event: GuestEvent): GuestState {
  switch (event.type) {
    case 'manual-entry':
      return { step: 'table-entry', restaurantId: null, k: null, problem: null }
    case 'restaurant-scanned': {
      const { restaurantId, k, problem } = event
      return { step: 'table-entry', restaurantId, k, problem }
    }
    case 'table-found':
      return menuStep(event.place, event.visit)
    default:
      return flow
  }
}

function reduceEntry(flow: GuestState & { step: 'table-entry' }, event: GuestEvent): GuestState {
  switch (event.type) {
    case 'back-to-scan':
      return { step: 'qr-scan' }
    case 'table-refused':
      return { ...flow, problem: event.problem }
    case 'table-found':
      return menuStep(event.place, event.visit)
    default:
      return flow
  }
}

function reduceMenu(
  flow: GuestState & { step: 'service-selection' | 'confirmation' },
  event: GuestEvent,
): GuestState {
  const { place } = flow
  switch (event.type) {
    case 'stored':
      return { step: 'confirmation', place, asked: event.asked }
    case 'send-another':
      return flow.step === 'confirmation' ? menuStep(place, event.visit) : flow
    case 'visit-expired':
      return menuStep(place, 'expired')
    case 'back-to-scan':
      return { step: 'qr-scan' }
    default:
      return flow
  }
}
