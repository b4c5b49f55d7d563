import { describe, expect, it } from 'vitest'
import { examine, newWalk, repeatWalk, scan, type Walk } from './floor-walk.ts'

const address = 'https://tables.example'
const linkOf = (query: Record<string, string>, origin = address): string =>
  `${origin}/customer?${new URLSearchParams(query)}`
const cardOf = (tableNumber: string, k: string, code: string) => ({
  id: `id of ${tableNumber}`,
  tableNumber,
  link: linkOf({ r: 'The Copper Pot', t: tableNumber, k }),
  shortLink: `${address}/t/${code}`,
  svg: '',
})
const cards = [cardOf('7', '2.seven', 'K7QF-M2XW'), cardOf('Patio 3', '2.patio', '5CDE-FGH2')]
const floor = { cards, nameKeys: ['the copper pot', 'the old pot'] }
const lastOf = (content: string): Walk['last'] => examine(newWalk, floor, content).last

describe('walking the floor', () => {
  it('ticks off each table once, by its code or its short link', () => {
    let walk = examine(newWalk, floor, cards[0]?.link ?? '')
    expect([walk.last, [...walk.checked]]).toEqual([{ kind: 'checked', table: '7' }, ['id of 7']])
    walk = examine(walk, floor, 'k7qf m2xw')
    expect([walk.last, walk.checked.size]).toEqual([{ kind: 'again', table: '7' }, 1])
    walk = examine(walk, floor, 'tables.example/t/5cde-fgh2/')
    expect([walk.last, walk.checked.size]).toEqual([{ kind: 'checked', table: 'Patio 3' }, 2])
    expect(walk.problems).toEqual([])
  })

  it('accepts a code with the name that the restaurant had before', () => {
    const link = linkOf({ r: 'The Old Pot', t: 'patio 3', k: '2.patio' })
    expect(lastOf(link)).toEqual({ kind: 'checked', table: 'Patio 3' })
  })

  it.each([
    [
      'of another restaurant',
      linkOf({ r: 'Rival Grill', t: '7', k: '2.seven7' }),
      { kind: 'other-restaurant', restaurant: 'Rival Grill' },
    ],
    [
      'from before they were regenerated',
      linkOf({ r: 'the copper pot', t: '7', k: '1.seven' }),
      { kind: 'old', table: '7' },
    ],
    [
      'from before the restaurant was renamed and they were regenerated',
      linkOf({ r: 'The Old Pot', t: '7', k: '1.seven' }),
      { kind: 'old', table: '7' },
    ],
    ['without a proof', linkOf({ r: 'The Copper Pot', t: '7' }), { kind: 'old', table: '7' }],
    [
      'with the proof of another table',
      linkOf({ r: 'The Copper Pot', t: '7', k: '2.patio' }),
      { kind: 'old', table: '7' },
    ],
    [
      'of a table that is gone',
      linkOf({ r: 'The Copper Pot', t: '8', k: '2.eight' }),
      { kind: 'no-such-table', table: '8' },
    ],
    ['of the whole restaurant', linkOf({ r: 'The Copper Pot', k: '2.all' }), { kind: 'whole-restaurant' }],
    [
      'with another address',
      linkOf({ r: 'The Copper Pot', t: '7', k: '2.seven' }, 'http://localhost:3000'),
      { kind: 'other-address', host: 'localhost:3000' },
    ],
    ['with a link that was replaced', `${address}/t/QQQQ-QQQQ`, { kind: 'old-link' }],
    ['with a typing error', 'K7QF-M2X', { kind: 'unknown' }],
    ['of a menu', 'https://menu.example/today', { kind: 'unknown' }],
    ['of a Wi-Fi', 'WIFI:T:WPA;S:Guests;P:secret;;', { kind: 'unknown' }],
    ['of nothing', ' ', { kind: 'unknown' }],
  ])('names what is wrong with a code %s', (_, content, finding) => {
    const walk = examine(newWalk, floor, content)
    expect([walk.last, walk.problems, walk.checked.size]).toEqual([finding, [finding], 0])
  })

  it('lists what is wrong once, the latest first', () => {
    const [old, other] = [
      linkOf({ r: 'The Copper Pot', t: '7', k: '1.x' }),
      linkOf({ r: 'Rival', t: '1', k: '1.y' }),
    ]
    const walk = [old, other, old].reduce((current, content) => examine(current, floor, content), newWalk)
    expect(walk.problems.map(({ kind }) => kind)).toEqual(['old', 'other-restaurant'])
  })

  it('takes an old code from the list once the new card of its table stands there', () => {
    const old = linkOf({ r: 'The Copper Pot', t: 'patio 3', k: '1.x' })
    const foreign = linkOf({ r: 'Rival', t: '7', k: '1.y' })
    const codes = [old, foreign, cards[0]?.link ?? '', cards[1]?.link ?? '']
    const walk = codes.reduce((current, content) => examine(current, floor, content), newWalk)
    expect(walk.problems).toEqual([{ kind: 'other-restaurant', restaurant: 'Rival' }])
    expect(repeatWalk(floor, walk.codes).problems).toEqual(walk.problems)
    const second = examine(walk, floor, old)
    expect(second.problems[0]).toEqual({ kind: 'old', table: 'patio 3' })
  })

  it('can be repeated from its codes, as what is printed today has it', () => {
    const codes = ['nothing', cards[1]?.link ?? '', cards[0]?.link ?? '', 'k7qf-m2xw', 'nothing']
    const walk = codes.reduce((current, content) => examine(current, floor, content), newWalk)
    expect(walk.codes).toEqual([cards[1]?.link, cards[0]?.link, 'k7qf-m2xw', 'nothing'])
    const { checked, problems, last } = repeatWalk(floor, walk.codes)
    expect([checked, problems, last]).toEqual([walk.checked, walk.problems, null])
    const renewed = { ...floor, cards: [cardOf('7', '3.seven', 'ABCD-2345'), ...cards.slice(1)] }
    const today = repeatWalk(renewed, walk.codes)
    expect([...today.checked]).toEqual(['id of Patio 3'])
    expect(today.problems).toContainEqual({ kind: 'old', table: '7' })
  })

  it('takes a code that stays in view for one scan, and one that comes back for another', () => {
    const link = cards[0]?.link ?? ''
    let walk = newWalk
    for (const at of [0, 500, 1_000, 2_500]) walk = scan(walk, floor, link, at)
    expect(walk.last).toEqual({ kind: 'checked', table: '7' })
    walk = scan(walk, floor, link, 5_000)
    expect(walk.last).toEqual({ kind: 'again', table: '7' })
    walk = scan(walk, floor, cards[1]?.link ?? '', 5_500)
    expect(walk.checked.size).toBe(2)
    expect(scan(walk, floor, link, 5_600).last).toEqual({ kind: 'again', table: '7' })
  })
})
