// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest'
import { rememberRestaurant } from './restaurant-session.ts'

beforeEach(() => {
  localStorage.setItem('last-list', JSON.stringify({ restaurantId: 'Blue Door' }))
  localStorage.setItem('unsent-taps', '[]')
})

it('keeps the crew page’s list and taps when another tab opens the same restaurant', () => {
  rememberRestaurant('Blue Door')
  expect(Object.keys(localStorage).toSorted()).toEqual(['last-list', 'unsent-taps'])
  expect(sessionStorage.getItem('restaurantId')).toBe('Blue Door')
})

it('removes the list and the taps of another restaurant', () => {
  rememberRestaurant('Red Door')
  expect(localStorage).toHaveLength(0)
})
