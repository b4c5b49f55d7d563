import { expect, it } from 'vitest'
import { hasAtMostCharacters, truncate } from './characters.ts'

const accented = 'e\u0301'
const letter = '\u0928\u093f'

it.each([
  ['x'.repeat(40), true],
  ['x'.repeat(41), false],
  ['🌶'.repeat(40), true],
  ['🌶'.repeat(41), false],
  [accented.repeat(40), true],
  [accented.repeat(41), false],
  [letter.repeat(40), true],
  ['👍🏽'.repeat(30), true],
  ['表'.repeat(40), true],
  ['表'.repeat(41), false],
])('counts the characters of %j as readers see them', (text, fits) => {
  expect(hasAtMostCharacters(text, 40)).toBe(fits)
})

it('megabytes are not accepted as a single character', () => {
  const tall = 'e' + '\u0301'.repeat(1_000_000)
  expect(hasAtMostCharacters(tall, 40)).toBe(false)
  expect(hasAtMostCharacters('e' + '\u0301'.repeat(100), 40)).toBe(true)
})

it('truncates between characters, never within one', () => {
  expect(truncate('👍🏽'.repeat(3), 10)).toBe('👍🏽👍🏽…')
  expect(truncate('🇩🇪🇫🇷', 7)).toBe('🇩🇪…')
  expect(truncate('🇩🇪🇫🇷', 8)).toBe('🇩🇪🇫🇷')
})
