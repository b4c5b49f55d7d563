import { expect, it } from 'vitest'
import type { ClosedRequest } from '#contract/requests/requests.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { countRepeats, repeatText } from './repeats.ts'

const minute = 60_000
const closed = (minutesAgo: number, more: object = {}): ClosedRequest => ({
  request: buildRequest({
    id: `at ${minutesAgo}`,
    tableNumber: '7',
    serviceType: 'drinks',
    timestamp: 20 * minute - minutesAgo * minute,
    ...more,
  }),
  closedAt: 21 * minute,
  by: null,
})
const now = buildRequest({ id: 'now', tableNumber: '7', serviceType: 'drinks', timestamp: 20 * minute })

const count = (recent: ClosedRequest[]): number =>
  countRepeats(
    now,
    Map.groupBy(recent, ({ request }) => request.tableNumber),
  )

it('counts the same need of the same table in the ten minutes before', () => {
  expect(count([])).toBe(1)
  const others = [closed(1, { tableNumber: '8' }), closed(2, { serviceType: 'food' }), closed(10), closed(-1)]
  expect(count(others)).toBe(1)
  expect(count([...others, closed(3), closed(9.9)])).toBe(3)
})

it('a request that was reopened counts once', () => {
  expect(count([{ ...closed(0), request: now }])).toBe(1)
})

it('that a table asked before is said from the second time on', () => {
  expect([1, 2, 3].map(repeatText)).toEqual([null, '2× in 10 min', '3× in 10 min'])
})
