import { describe, expect, it } from 'vitest'
import type { GuestPage } from '#contract/guests/visits.ts'
import { buildGuestPage } from '../../../../test/support/pages/guest-page.ts'
import { type GuestEvent, type GuestState, guestReducer, initialStep, knownPlace } from './guest-flow.ts'

const place = { restaurantId: 'Blue Door', tableNumber: '7', k: null }
const steps = {
  scan: { step: 'qr-scan' },
  entry: { step: 'table-entry', restaurantId: 'Blue Door', k: '1.abc', problem: null },
  menu: { step: 'service-selection', place },
  sent: { step: 'confirmation', place, asked: { serviceType: 'drinks' } },
  expired: { step: 'expired', place },
} as const satisfies Record<string, GuestState>

const found = (visit: 'fresh' | 'expired'): GuestEvent => ({ type: 'table-found', place, visit })
const stored: GuestEvent = { type: 'stored', asked: { serviceType: 'drinks' } }

describe('the guest flow', () => {
  it.each<[string, GuestState, GuestEvent, GuestState]>([
    [
      'manual entry leaves the scan',
      steps.scan,
      { type: 'manual-entry' },
      { ...steps.entry, restaurantId: null, k: null },
    ],
    [
      'a scan without a table asks for the table and keeps the proof',
      steps.scan,
      { type: 'restaurant-scanned', restaurantId: 'Blue Door', k: '1.abc', problem: null },
      steps.entry,
    ],
    ['a scan with a table opens the menu', steps.scan, found('fresh'), steps.menu],
    ['a scan with a table whose visit is over is expired', steps.scan, found('expired'), steps.expired],
    ['entry opens the menu', steps.entry, found('fresh'), steps.menu],
    ['entry of a table whose visit is over is expired', steps.entry, found('expired'), steps.expired],
    [
      'an unknown table stays at the entry with the reason',
      steps.entry,
      { type: 'table-refused', problem: 'No such table' },
      { ...steps.entry, problem: 'No such table' },
    ],
    ['entry goes back to the scan', steps.entry, { type: 'back-to-scan' }, steps.scan],
    ['what was stored is confirmed', steps.menu, stored, steps.sent],
    [
      'another tap that was stored is confirmed instead',
      steps.sent,
      { ...stored, asked: { serviceType: 'check' } },
      { ...steps.sent, asked: { serviceType: 'check' } },
    ],
    ['another request returns to the menu', steps.sent, { type: 'send-another', visit: 'fresh' }, steps.menu],
    [
      'another request after 3 hours is expired',
      steps.sent,
      { type: 'send-another', visit: 'expired' },
      steps.expired,
    ],
    ['a tap after 3 hours is expired', steps.menu, { type: 'visit-expired' }, steps.expired],
    ['a reset returns to the menu', steps.expired, { type: 'reset' }, steps.menu],
  ])('%s', (_, flow, event, next) => {
    expect(guestReducer(flow, event)).toEqual(next)
  })

  it.each<[string, GuestState, GuestEvent]>([
    ['a scan confirms nothing', steps.scan, stored],
    ['an entry confirms nothing', steps.entry, stored],
    ['an expired visit confirms nothing', steps.expired, stored],
    ['an expired visit opens no menu', steps.expired, { type: 'send-another', visit: 'fresh' }],
    ['a menu is not reset', steps.menu, { type: 'reset' }],
    ['a menu knows its table', steps.menu, found('expired')],
    ['a scan has no table to go back from', steps.scan, { type: 'back-to-scan' }],
  ])('%s', (_, flow, event) => {
    expect(guestReducer(flow, event)).toBe(flow)
  })
})

it('knows the restaurant that was scanned, and the table of the link only with its own restaurant', () => {
  const given = { restaurantId: null, tableNumber: null, k: null }
  const opened = buildGuestPage({ given })
  const scanned = {
    type: 'restaurant-scanned',
    restaurantId: 'Blue Door',
    k: '1.abc',
    problem: null,
  } as const
  const entry = guestReducer(initialStep(opened), scanned)
  const scannedPlace = { restaurantId: 'Blue Door', tableNumber: null, k: '1.abc' }
  expect(knownPlace(entry, opened)).toEqual(scannedPlace)
  expect(knownPlace(initialStep(opened), opened)).toEqual(given)
  const link = { restaurantId: 'Red Door', tableNumber: '99', k: null }
  expect(knownPlace(entry, buildGuestPage({ given: link }))).toEqual(scannedPlace)
  const refused = buildGuestPage({ given: link, problem: { code: 'not_found', message: 'Table 99' } })
  expect(knownPlace(initialStep(refused), refused)).toEqual(link)
  expect(knownPlace(steps.menu, opened)).toEqual(place)
})

describe('the first step', () => {
  const opened = (page: Partial<GuestPage>): GuestState => initialStep(buildGuestPage(page))

  it('is the scan without a restaurant in the link', () => {
    const given = { restaurantId: null, tableNumber: null, k: null }
    expect(opened({ given })).toEqual(steps.scan)
    expect(opened({ given, manual: true })).toEqual({ ...steps.entry, restaurantId: null, k: null })
  })

  it('is the entry without a table, and with the proof of the code', () => {
    expect(opened({ given: { restaurantId: 'Blue Door', tableNumber: null, k: '1.abc' } })).toEqual(
      steps.entry,
    )
  })

  it('also asks for the restaurant when the link names an unknown one', () => {
    expect(
      opened({ restaurantName: null, problem: { code: 'not_found', message: 'Restaurant not found' } }),
    ).toEqual({
      step: 'table-entry',
      restaurantId: null,
      k: null,
      problem: 'Restaurant not found',
    })
  })

  it('is the menu, or the end of the visit', () => {
    expect(opened({})).toEqual(steps.menu)
    expect(opened({ expired: true })).toEqual(steps.expired)
  })
})
