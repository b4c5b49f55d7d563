import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const document = readFileSync('docs/security.md', 'utf8')

/** The number of requirements of levels 1 and 2 in ASVS 5.0.0, by chapter. */
const requirements: Record<string, { 1: number; 2: number }> = {
  '1': { 1: 8, 2: 19 },
  '2': { 1: 4, 2: 7 },
  '3': { 1: 8, 2: 11 },
  '4': { 1: 2, 2: 8 },
  '5': { 1: 4, 2: 5 },
  '6': { 1: 13, 2: 22 },
  '7': { 1: 6, 2: 12 },
  '8': { 1: 4, 2: 3 },
  '9': { 1: 4, 2: 3 },
  '10': { 1: 5, 2: 24 },
  '11': { 1: 3, 2: 11 },
  '12': { 1: 3, 2: 6 },
  '13': { 1: 1, 2: 12 },
  '14': { 1: 2, 2: 7 },
  '15': { 1: 3, 2: 10 },
  '16': { 1: 0, 2: 16 },
  '17': { 1: 0, 2: 7 },
}

const rows = document.split('\n').flatMap((line) => {
  const [, id, level, verdict, evidence] =
    /^\| (\d+\.\d+\.\d+) +\| ([12]) +\| (\S+) +\| (.*?) *\|$/u.exec(line) ?? []
  return id && level && verdict && evidence ? [{ id, level, verdict, evidence }] : []
})

it('lists every requirement once', () => {
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  const counted = Object.fromEntries(
    Object.keys(requirements).map((chapter) => {
      const of = (level: string) =>
        rows.filter((row) => row.id.startsWith(`${chapter}.`) && row.level === level).length
      return [chapter, { 1: of('1'), 2: of('2') }]
    }),
  )
  expect(counted).toEqual(requirements)
})

it('explains for each how it is met or why it is not', () => {
  const verdicts = new Set(rows.map(({ verdict }) => verdict))
  expect(verdicts).toEqual(new Set(['met', 'n/a', 'proxy', 'operator', 'deviation']))
  expect(rows.filter(({ evidence }) => evidence.length < 7)).toEqual([])
})

it('refers to sections that exist', () => {
  const sections = new Set([...document.matchAll(/^## (.+)$/gmu)].map(([, title]) => title))
  const named = rows.flatMap(({ evidence }) => [...evidence.matchAll(/"([^"]+)" above/gu)])
  expect(named.filter(([, section]) => !sections.has(section))).toEqual([])
})
