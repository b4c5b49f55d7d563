import { expect, it } from 'vitest'
import { describeMove } from './describe-move.ts'

const open = [
  { tableNumber: '4', serviceType: 'drinks' },
  { tableNumber: '4', serviceType: 'check' },
  { tableNumber: '12', serviceType: 'drinks' },
  { tableNumber: 'Patio', serviceType: 'food' },
] as const

it.each([
  [
    '4',
    '12',
    2,
    '2 open requests and 2 phones go to table 12. Table 12 already waits for Drinks: they become one.',
  ],
  ['4', '7', 0, '2 open requests go to table 7.'],
  ['patio', '7', 1, 'One open request and one phone go to table 7.'],
  ['12', '7', 0, 'One open request goes to table 7.'],
  ['9', '7', 3, '3 phones go to table 7.'],
  ['9', '7', 1, 'One phone goes to table 7.'],
  ['9', '7', 0, 'Table 9 has not asked for anything.'],
  ['4', '7', undefined, '2 open requests go to table 7.'],
  ['9', '7', undefined, ''],
  ['patio', 'Patio', 2, ''],
])('says what happens when table %s moves to %s with %s phones', (from, to, phones, text) => {
  expect(describeMove({ from, to, open, phones })).toBe(text)
})
