// @vitest-environment jsdom
import { expect, it, vi } from 'vitest'
import { removeStored, clearSessionStorage, getStored, setStored } from './browser-storage.ts'

it('keeps the chosen crew member on the device and the restaurant in the tab', () => {
  setStored('crew-member-id', 'c1')
  setStored('restaurantId', 'The Copper Pot')
  expect(Object.entries(localStorage)).toEqual([['crew-member-id', 'c1']])
  expect(Object.entries(sessionStorage)).toEqual([['restaurantId', 'The Copper Pot']])
  expect(getStored('restaurantId')).toBe('The Copper Pot')
})

it('clears everything of the session on signing out, and nothing of the device', () => {
  setStored('crew-member-id', 'c1')
  setStored('crewRole', 'Host')
  clearSessionStorage()
  expect(getStored('crewRole')).toBeNull()
  expect(getStored('crew-member-id')).toBe('c1')
})

it('keeps values while the page is open if the browser refuses storage', () => {
  using _refused = vi.spyOn(globalThis, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  expect(getStored('crew-member-id')).toBeNull()
  setStored('crew-member-id', 'c1')
  expect(getStored('crew-member-id')).toBe('c1')
  removeStored('crew-member-id')
  expect(getStored('crew-member-id')).toBeNull()
})

it('keeps values while the page is open if the storage is full', () => {
  localStorage.setItem('crew-member-id', 'old')
  using _full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  setStored('crew-member-id', 'new')
  expect(getStored('crew-member-id')).toBe('new')
  removeStored('crew-member-id')
  expect(getStored('crew-member-id')).toBeNull()
})
