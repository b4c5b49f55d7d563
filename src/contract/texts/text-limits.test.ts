import { expect, it } from 'vitest'
import { parse } from '../parse.ts'
import { TableNumber } from '../primitives.ts'

const tooManyBytes = 'Please shorten this: at most 240 bytes fit, and emoji take many'
const tooManyCharacters = 'Please use at most 40 characters'

it.each([
  ['30 flags', '🇩🇪'.repeat(30), null],
  ['31 flags', '🇩🇪'.repeat(31), tooManyBytes],
  ['41 flags', '🇩🇪'.repeat(41), tooManyCharacters],
  ['41 letters', 'x'.repeat(41), tooManyCharacters],
  ['a megabyte of letters', 'x'.repeat(1_000_000), tooManyCharacters],
  ['one letter with a megabyte of accents', `e${'\u0301'.repeat(1_000_000)}`, tooManyBytes],
])('a table that is called %s is told the limit that it exceeds', (_, name, message) => {
  const parsed = parse(TableNumber, name)
  expect(parsed.ok ? null : parsed.message).toBe(message)
})
