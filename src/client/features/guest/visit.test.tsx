// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import { checkVisit, resetVisit, restartVisit } from './visit.ts'

const table = { restaurantId: 'Blue Door', tableNumber: 'Patio 3' }
const key = 'session_Blue Door_Patio 3'
const hours = 3_600_000

it('starts the first time a table is opened, as a plain number', () => {
  expect(checkVisit(table, 1_800_000_000_000)).toBe('fresh')
  expect(Object.entries(localStorage)).toEqual([[key, '1800000000000']])
})

it('lasts 3 hours to the millisecond, and opening the page again does not prolong it', () => {
  localStorage.setItem(key, '1000')
  expect(checkVisit(table, 1000 + 3 * hours)).toBe('fresh')
  expect(checkVisit(table, 1001 + 3 * hours)).toBe('expired')
  expect(localStorage.getItem(key)).toBe('1000')
})

it('a visit is separate for each table', () => {
  localStorage.setItem(key, '1000')
  expect(checkVisit({ ...table, tableNumber: '4' }, 1001 + 3 * hours)).toBe('fresh')
})

it('starts again after a reset', () => {
  localStorage.setItem(key, '1000')
  restartVisit(table, 1001 + 3 * hours)
  expect(checkVisit(table, 1002 + 3 * hours)).toBe('fresh')
  expect(localStorage.getItem(key)).toBe(String(1001 + 3 * hours))
})

it('starts again when the stored value is not a time', () => {
  localStorage.setItem(key, 'yesterday')
  expect(checkVisit(table, 5000)).toBe('fresh')
  expect(localStorage.getItem(key)).toBe('5000')
})

it('can be started again when a network that answers nothing has kept the guest waiting', async () => {
  localStorage.setItem(key, '1000')
  const limit = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
  vi.stubGlobal('fetch', (_url: string, { signal }: RequestInit) => {
    limit.abort()
    return signal?.aborted ? Promise.reject(signal.reason) : Promise.resolve(new Response())
  })
  expect(await resetVisit(table)).toBe(false)
  expect(localStorage.getItem(key)).toBe('1000')
})
