import { describe, expect, it } from 'vitest'
import { isSame, keepTheirs, type Merge } from '../merging.ts'
import { mergeNeeds } from './merge-needs.ts'
import type { OwnNeed } from './needs.ts'

const refuse: Merge = (now, was, wanted) => {
  if (!isSame(wanted, was) && !isSame(now, was) && !isSame(now, wanted)) throw new Error('conflict')
  return keepTheirs(now, was, wanted)
}

const need = (id: string, changed: Partial<OwnNeed> = {}): OwnNeed => ({
  id,
  name: { en: id },
  icon: 'star',
  targetMs: 60_000,
  calls: 'table',
  choices: [],
  note: false,
  hidden: false,
  ...changed,
})
const listed = (ids: string): OwnNeed[] => ids.split('').map((id) => need(id))
const order = (needs: readonly { id: string }[]): string => needs.map(({ id }) => id).join('')

describe('two lists of needs', () => {
  it.each([
    ['moved by the second', 'abc', 'abc', 'acb', 'acb'],
    ['moved by the first', 'acb', 'abc', 'abc', 'acb'],
    ['moved by both to the same place', 'acb', 'abc', 'acb', 'acb'],
    ['moved by the second and removed by the first', 'ab', 'abc', 'cab', 'ab'],
    ['added by both, moved by the second', 'axbc', 'abc', 'bcay', 'bcaxy'],
    ['added by both, moved by the first', 'bcaxy', 'abc', 'zabc', 'zbcaxy'],
    ['added before all others by the first', 'xabc', 'abc', 'abc', 'xabc'],
    ['removed by the second', 'abc', 'abc', 'bc', 'bc'],
    ['each has removed one', 'ac', 'abc', 'bc', 'c'],
    ['all removed by the first', '', 'abc', 'abc', ''],
  ])('%s: %s over %s with %s is %s', (_, now, was, wanted, merged) => {
    for (const merge of [refuse, keepTheirs])
      expect(order(mergeNeeds(merge, listed(now), listed(was), listed(wanted)))).toBe(merged)
  })

  it('are merged field by field', () => {
    const now = [need('a', { hidden: true }), need('b')]
    const wanted = [need('a', { name: { en: 'A' }, note: true }), need('b')]
    expect(mergeNeeds(refuse, now, listed('ab'), wanted)).toEqual([
      need('a', { hidden: true, name: { en: 'A' }, note: true }),
      need('b'),
    ])
  })

  it.each([
    [[need('a', { targetMs: 20_000 })], [need('a', { targetMs: 30_000 })], 'the same field'],
    [[need('a', { hidden: true })], [], 'what the second removes'],
    [[], [need('a', { hidden: true })], 'what the first removed'],
  ])('%j and %j conflict: %s', (now, wanted) => {
    expect(() => mergeNeeds(refuse, now, [need('a')], wanted)).toThrow('conflict')
    expect(mergeNeeds(keepTheirs, now, [need('a')], wanted)).toEqual(now)
  })

  it('conflict where both have moved something', () => {
    const [now, was, wanted] = [listed('cab'), listed('abc'), listed('acb')]
    expect(() => mergeNeeds(refuse, now, was, wanted)).toThrow('conflict')
    expect(order(mergeNeeds(keepTheirs, now, was, wanted))).toBe('cab')
  })
})
