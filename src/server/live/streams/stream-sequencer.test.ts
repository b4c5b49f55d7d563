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
        const take = (seq: number) =>
          order.receive('r1 staff', seq, { followers: 0 }, () => delivered.push(seq))
        for (const seq of [1, ...shuffled, ...repeats]) take(seq)
        order.close()
        expect(delivered).toEqual(Array.from({ length: count + 1 }, (_, index) => index + 1))
      },
    ),
  )
})

it('lets no event overtake what follows the one before it', () => {
  const order = new StreamSequencer(() => {})
  const delivered: string[] = []
  const staff = (seq: number, followers: number) =>
    order.receive('r1 staff', seq, { followers }, () => delivered.push(`staff ${seq}`))
  const table = (seq: number) => order.receive('r1 staff', seq, null, () => delivered.push(`table ${seq}`))
  staff(1, 0)
  staff(3, 1)
  table(3)
  staff(2, 2)
  table(2)
  expect(delivered).toEqual(['staff 1', 'staff 2', 'table 2'])
  table(2)
  expect(delivered.slice(3)).toEqual(['table 2', 'staff 3', 'table 3'])
  order.close()
})

it('delivers what follows an event also where a node of an earlier version does not say how many do', () => {
  const order = new StreamSequencer(() => {})
  const delivered: string[] = []
  const staff = (seq: number) =>
    order.receive('r1 staff', seq, { followers: 0 }, () => delivered.push(`staff ${seq}`))
  const table = (seq: number) => order.receive('r1 staff', seq, null, () => delivered.push(`table ${seq}`))
  staff(1)
  staff(3)
  table(3)
  staff(2)
  table(2)
  expect(delivered).toEqual(['staff 1', 'staff 2', 'staff 3', 'table 3', 'table 2'])
})

it('reports what follows an event and does not come', () => {
  vi.useFakeTimers()
  const gaps: string[] = []
  const order = new StreamSequencer((stream) => gaps.push(stream))
  order.receive('r1 staff', 1, { followers: 0 }, () => {})
  order.receive('r1 staff', 2, { followers: 1 }, () => {})
  expect(order.isComplete('r1 staff', 2)).toBe(false)
  vi.advanceTimersByTime(300)
  expect(gaps).toEqual(['r1 staff'])
  order.skipTo('r1 staff', 2)
  expect(order.isComplete('r1 staff', 2)).toBe(true)
  order.close()
})

it('delivers every event and what follows it, all in their order, in whatever order they arrive', () => {
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
        const advances = kind === 'staff' ? { followers: event === 'staff 1' ? 0 : 1 } : null
        order.receive('r1 staff', Number(seq), advances, () => delivered.push(event))
      }
      order.close()
      const pairs = Array.from({ length: shuffled.length / 2 }, (_, at) => [
        `staff ${at + 2}`,
        `table ${at + 2}`,
      ])
      expect(delivered).toEqual(['staff 1', ...pairs.flat()])
    }),
  )
})

it('reports a number that stays missing, and continues from the snapshot', () => {
  vi.useFakeTimers()
  const gaps: string[] = []
  const order = new StreamSequencer((stream) => gaps.push(stream))
  const delivered: number[] = []
  const take = (seq: number) => order.receive('r1 staff', seq, { followers: 0 }, () => delivered.push(seq))
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
  const take = () => order.receive('r1 staff', seq, { followers: 0 }, () => {})
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
