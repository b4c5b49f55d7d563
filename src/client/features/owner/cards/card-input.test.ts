import { expect, it } from 'vitest'
import { cvcError, expiryError, formatCardNumber, formatExpiry, futureExpiry } from './card-input.ts'

it.each([
  ['4242424242424242', '4242 4242 4242 4242'],
  ['4242-4242', '4242 4242'],
  ['42424', '4242 4'],
  ['', ''],
])('formats the number %s as %s', (typed, shown) => {
  expect(formatCardNumber(typed)).toBe(shown)
})

it.each([
  ['1', '1'],
  ['12', '12'],
  ['123', '12/3'],
  ['12 / 34', '12/34'],
  ['12/2034', '12/2034'],
])('formats the expiry %s as %s', (typed, shown) => {
  expect(formatExpiry(typed)).toBe(shown)
})

const now = new Date(2026, 10, 30, 23, 59)
it.each([
  ['12/26', null],
  ['11/26', null],
  ['1/2027', null],
  ['1 / 30', null],
  ['10/26', 'This card has expired'],
  ['13/30', 'Please enter the expiry as MM/YY'],
  ['00/30', 'Please enter the expiry as MM/YY'],
  ['12', 'Please enter the expiry as MM/YY'],
  ['', 'Please enter the expiry date'],
  [' ', 'Please enter the expiry date'],
])('checks the expiry %s: %s', (typed, problem) => {
  expect(expiryError(typed, now)).toBe(problem)
})

it.each([now, new Date(2099, 11, 31)])('knows an expiry that is in the future on %s', (today) => {
  expect(expiryError(futureExpiry(today), today)).toBeNull()
})

it('requires a CVC of three or four digits', () => {
  expect(['123', '1234', '12', 'abc', ''].map(cvcError)).toEqual([
    null,
    null,
    'Please enter 3 digits',
    'Please enter 3 digits',
    'Please enter the CVC',
  ])
})
