import { expect, it } from 'vitest'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { isElsewhere } from './elsewhere.ts'

const terrace = new Set(['1', '2'])

const isHidden = (change: Partial<ServiceRequest>, me: string | null, tableNumber = '7'): boolean =>
  isElsewhere(buildRequest({ id: tableNumber, tableNumber, ...change }), terrace, me)

const acceptedBy = (id: string) => ({ state: 'accepted', acceptedBy: { id, name: id } }) as const

it('leaves out requests of other sections, and none of its own', () => {
  expect(isHidden({ crew: ['leo'], called: ['leo'] }, 'maya')).toBe(true)
  expect(isHidden({ crew: ['leo'], called: ['leo'] }, 'maya', '2')).toBe(false)
  expect(isHidden(acceptedBy('leo'), 'maya')).toBe(true)
  expect(isHidden(acceptedBy('leo'), 'maya', '2')).toBe(false)
})

it('never leaves out what calls the person at the screen, or where they are going', () => {
  expect(isHidden({ crew: ['leo'], called: ['leo', 'maya'] }, 'maya')).toBe(false)
  expect(isHidden({ crew: ['maya'] }, 'maya')).toBe(false)
  expect(isHidden({ crew: ['leo'], level: 1 }, 'maya')).toBe(false)
  expect(isHidden(acceptedBy('maya'), 'maya')).toBe(false)
})

it('shows a screen without a name what calls everybody', () => {
  expect(isHidden({}, null)).toBe(false)
  expect(isHidden({ called: ['leo'] }, null)).toBe(true)
  expect(isHidden({ crew: ['leo'] }, null)).toBe(true)
  expect(isHidden({ crew: ['leo'], called: ['leo'], level: 1 }, null)).toBe(false)
  expect(isHidden({}, null, '1')).toBe(false)
  expect(isHidden(acceptedBy('leo'), null)).toBe(true)
})
