import { expect, it } from 'vitest'
import { parseCount, parseNumber } from './parse-number.ts'

it.each<[typed: string, number: number, count: number]>([
  ['12', 12, 12],
  [' 7 ', 7, 7],
  ['1.5', 1.5, NaN],
  ['1,5', 1.5, NaN],
  ['.5', 0.5, NaN],
  ['-3', -3, NaN],
  ...['', ' ', 'ten', '1e2', '0x10', '0b1', '1,000.5', 'Infinity', '.'].map(
    (typed): [string, number, number] => [typed, NaN, NaN],
  ),
])('reads %j as the number %d and the count %d', (typed, number, count) => {
  expect([parseNumber(typed), parseCount(typed)]).toEqual([number, count])
})
