import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from '#contract/parse.ts'
import { Catalogue } from '#contract/texts/catalogue.ts'

/** What stands on a button, and what it is called where that says more. */
type Pair = { shown: string; name: string }

/** An `aria-label` that is a text, before a text of the same element. */
const labelledText = /aria-label=\{t\((['"])(?<name>.+?)\1[^<]*?>\s*\{t\((['"])(?<shown>.+?)\3/gu

const pairs: Pair[] = [
  ...globSync('src/client/**/*.tsx', { exclude: ['**/*.test.tsx'] }).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(labelledText)].map(({ groups }) => ({
      shown: groups?.['shown'] ?? '',
      name: groups?.['name'] ?? '',
    })),
  ),
  // These two are looked up from a table.
  { shown: 'Send a test', name: 'Send a test to {address}' },
  { shown: "Send last week's report now", name: "Send last week's report now to {address}" },
]

const textsOf = (path: string): [string, Catalogue['texts'][string]][] => {
  const parsed = parse(Catalogue, JSON.parse(readFileSync(path, 'utf8')))
  if (!parsed.ok) throw new Error(`${path}: ${parsed.message}`)
  return Object.entries(parsed.value.texts)
}

const words = (text: string): string =>
  ` ${text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()} `

/** The buttons that somebody who says what they read would not reach. */
function mismatches(texts: ReadonlyMap<string, Catalogue['texts'][string]>): string[] {
  const translate = (key: string): string => {
    const text = texts.get(key) ?? key
    return typeof text === 'string' ? text : (text.other ?? '')
  }
  return pairs.flatMap(({ shown, name }) =>
    words(translate(name)).includes(words(translate(shown)))
      ? []
      : [`“${translate(shown)}” is called “${translate(name)}”`],
  )
}

it('there are buttons that are called more than stands on them', () => {
  expect(pairs.length).toBeGreaterThan(10)
})

it('a button is called by what stands on it, and more', () => {
  expect(mismatches(new Map())).toEqual([])
})

it.each(globSync('catalogues/staff/*.json').toSorted())('a button is called so in %s, too', (path) => {
  const language = basename(path)
  const portals = globSync(`catalogues/portals/${language}`)
  expect(mismatches(new Map([path, ...portals].flatMap(textsOf)))).toEqual([])
})
