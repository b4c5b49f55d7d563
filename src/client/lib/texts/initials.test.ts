import { expect, it } from 'vitest'
import { initials } from './initials.ts'

it.each([
  ['Maya Lopez', 'ML'],
  ['maya', 'M'],
  ['  Anna  Maria Schmidt ', 'AM'],
  ['élodie 🌶 b', 'É🌶'],
  ['🇩🇪 👩🏽 c', '🇩🇪👩🏽'],
  ['e\u0301lodie n\u0303u', 'É'.normalize('NFD') + 'Ñ'.normalize('NFD')],
  ['', ''],
])('shortens %j to %j', (name, short) => {
  expect(initials(name)).toBe(short)
})
