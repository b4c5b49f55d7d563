import { expect, it } from 'vitest'
import { compareNatural } from './natural-order.ts'

it('sorts tables as people do', () => {
  expect(['10', 'Table 10', 'Patio 3', '2', 'Table 2', 'table 1'].toSorted(compareNatural)).toEqual([
    '2',
    '10',
    'Patio 3',
    'table 1',
    'Table 2',
    'Table 10',
  ])
})
