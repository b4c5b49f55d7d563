import { expect, it } from 'vitest'
import type { OpeningHours } from '#contract/guests/opening.ts'
import { isOpenAt } from './is-open.ts'

const hours: OpeningHours = [
  [],
  [{ from: '11:30', to: '14:30' }],
  [],
  [],
  [{ from: '18:00', to: '01:00' }],
  [],
  [],
]
const isOpen = (at: string, timeZone = 'UTC') => isOpenAt({ hours, pauses: [], timeZone }, Date.parse(at))

it.each([
  // 2 March 2027 is a Tuesday.
  ['2027-03-02T11:29:00Z', false],
  ['2027-03-02T11:30:00Z', true],
  ['2027-03-02T14:30:00Z', false],
  ['2027-03-05T23:59:00Z', true],
  ['2027-03-06T00:59:00Z', true],
  ['2027-03-06T01:00:00Z', false],
  ['2027-03-05T00:30:00Z', false],
])('%s: open is %s', (at, open) => {
  expect(isOpen(at)).toBe(open)
})

it('whether a restaurant is open is read on its own clock', () => {
  expect(isOpen('2027-03-02T10:45:00Z', 'Europe/Berlin')).toBe(true)
  expect(isOpen('2027-03-02T23:45:00Z', 'Pacific/Auckland')).toBe(false)
})

it('a restaurant without hours is always open', () => {
  expect(isOpenAt({ hours: null, pauses: [], timeZone: 'UTC' }, 0)).toBe(true)
})
