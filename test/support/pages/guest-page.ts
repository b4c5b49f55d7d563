import type { GuestPage } from '#contract/guests/visits.ts'
import type { Tap } from '../../../src/client/features/guest/taps/outbox.ts'

/** What the page of a guest at table 7 is rendered from. */
export const buildGuestPage = (fields: Partial<GuestPage> = {}): GuestPage => ({
  restaurantName: 'Blue Door',
  tableNumber: '7',
  problem: null,
  expired: false,
  requests: [],
  mine: [],
  listening: true,
  barrier: null,
  given: { restaurantId: 'Blue Door', tableNumber: '7', k: null },
  manual: false,
  sent: null,
  refused: null,
  formId: 'form-1',
  now: Date.now(),
  language: 'en',
  languages: { en: 'English' },
  texts: {},
  ...fields,
})

/** A tap for drinks at that table, just now. */
export const buildTap = (): Tap => ({
  id: 'tap-1',
  restaurantId: 'Blue Door',
  tableNumber: '7',
  serviceType: 'drinks',
  k: null,
  at: Date.now(),
})
