import * as fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { StreamSequencer } from './stream-sequencer.ts'

it('delivers every event once and in order, in whatever order they arrive', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }).chain((count) =>
        fc.tuple(
          fc.constant(count),
          fc.shuffledSubarray(
            Array.from({ length: count }, (_, index) => index + 2),
            { minLength: count, maxLength: count },
          ),
          fc.array(fc.integer({ min: 1, max: count + 1 }), { maxLength: 5 }),
        ),
      ),
      ([count, shuffled, repeats]) => {
        const order = new StreamSequencer(() => {})
        const delivered: number[] = []
        const take = (seq: number) => order.receive('r1 staff', seq, true, () => delivered.push(seq))
        for (const seq of [1, ...shuffled, ...repeats]) take(seq)
        order.close()
        expect(delivered).toEqual(Array.from({ length: count + 1 }, (_, index) => index + 1))
      },
    ),
  )
})

it("delivers a table's messages together with the event that they belong to", () => {
  const order = new StreamSequencer(() => {})
  const delivered: string[] = []
  const take = (seq: number, opens: boolean) =>
    order.receive('r1 staff', seq, opens, () => delivered.push(`${opens ? 'staff' : 'table'} ${seq}`))
  take(1, true)
  take(3, true)
  take(3, false)
  take(2, true)
  take(2, false)
  expect(delivered).toEqual(['staff 1', 'staff 2', 'staff 3', 'table 3', 'table 2'])
})

it('loses no event whose followers arrive first, and delivers those after it', () => {
  const numbers = fc
    .integer({ min: 1, max: 8 })
    .map((count) => Array.from({ length: count }, (_, at) => at + 2))
  const arrivals = numbers.chain((all) => {
    const events = all.flatMap((seq) => [`staff ${seq}`, `table ${seq}`])
    return fc.shuffledSubarray(events, { minLength: events.length })
  })
  fc.assert(
    fc.property(arrivals, (shuffled) => {
      const order = new StreamSequencer(() => {})
      const delivered: string[] = []
      for (const event of ['staff 1', ...shuffled]) {
        const [kind, seq] = event.split(' ')
        order.receive('r1 staff', Number(seq), kind === 'staff', () => delivered.push(event))
      }
      order.close()
      expect(delivered.toSorted()).toEqual(['staff 1', ...shuffled].toSorted())
      const staff = delivered.filter((event) => event.startsWith('staff'))
      expect(staff).toEqual(staff.map((_, at) => `staff ${at + 1}`))
      for (const event of shuffled.filter((each) => each.startsWith('table')))
        expect(delivered.indexOf(event)).toBeGreaterThan(delivered.indexOf(event.replace('table', 'staff')))
    }),
  )
})

it('reports a number that stays missing, and continues from the snapshot', () => {
  vi.useFakeTimers()
  const gaps: string[] = []
  const order = new StreamSequencer((stream) => gaps.push(stream))
  const delivered: number[] = []
  const take = (seq: number) => order.receive('r1 staff', seq, true, () => delivered.push(seq))
  take(1)
  take(4)
  take(6)
  vi.advanceTimersByTime(300)
  expect(gaps).toEqual(['r1 staff'])
  order.skipTo('r1 staff', 5)
  expect(delivered).toEqual([1, 6])
  take(7)
  expect(delivered).toEqual([1, 6, 7])
  order.close()
})

it('waits longer each time for a stream that loses numbers again and again', () => {
  vi.useFakeTimers()
  const gaps: number[] = []
  let seq = 1
  const order = new StreamSequencer(() => {
    gaps.push(performance.now())
    order.skipTo('r1 staff', seq)
  })
  const take = () => order.receive('r1 staff', seq, true, () => {})
  take()
  const waits = [0, 0, 0, 0, 0, 15_000].map((pauseMs) => {
    vi.advanceTimersByTime(pauseMs)
    seq += 2
    take()
    const since = performance.now()
    vi.advanceTimersByTime(3_000)
    return (gaps.at(-1) ?? 0) - since
  })
  order.close()
  expect(waits).toEqual([250, 500, 1_000, 2_000, 2_000, 250])
})

it('tells the positions of all streams in parts, also while some come and go', () => {
  const order = new StreamSequencer(() => {})
  for (const name of ['a', 'b', 'c', 'd', 'e']) order.startAt(name, 7)
  const parts: string[][] = []
  for (const { streams } of order.positions(2)) {
    parts.push(streams)
    if (parts.length === 1) {
      order.forget('d')
      order.startAt('f', 7)
    }
  }
  expect(parts).toEqual([['a', 'b'], ['c', 'e'], ['f']])
  order.close()
})
