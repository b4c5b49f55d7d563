import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const pages = [...globSync('*.md'), ...globSync('docs/**/*.md'), 'bench/README.md']

/** Pages may omit the beginning of a path: `core/requests/requests.ts`. */
const folders = ['', 'src/', 'src/server/', 'src/client/', 'src/client/features/']

const find = (path: string): string | undefined =>
  folders.map((folder) => folder + path).find((file) => existsSync(file))
const isThere = (path: string): boolean => find(path) !== undefined

const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|css|md|json))`/gu)].map(([, path = '']) => path)

/** `name` in `core/file.ts`, `name` (`core/file.ts`), `core/file.ts` (`name`). */
const nameThenPath = /`(?<name>\w+)` (?:in |\()`(?<path>(?:[\w.-]+\/)+[\w.-]+\.tsx?)`/gu
const pathThenName = /`(?<path>(?:[\w.-]+\/)+[\w.-]+\.tsx?)` \(`(?<name>\w+)`/gu
const namesIn = (text: string) =>
  [...text.matchAll(nameThenPath), ...text.matchAll(pathThenName)].map(({ groups }) => ({
    name: groups?.['name'] ?? '',
    path: groups?.['path'] ?? '',
  }))

const contains = (path: string, name: string): boolean =>
  new RegExp(String.raw`\b${name}\b`, 'u').test(readFileSync(find(path) ?? path, 'utf8'))

const fileNames = new Set(
  globSync(['*.ts', '{src,test,bench,scripts}/**/*.{ts,tsx,css}']).map((path) => posix.basename(path)),
)

/** Files that are named without their folder, which the text has named before. */
const fileNamesIn = (text: string): string[] =>
  [...text.matchAll(/`([\w.-]+\.(?:tsx?|css))`/gu)].map(([, name = '']) => name)

const linksIn = (page: string, text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/gu)].map(([, to = '']) =>
    posix.join(posix.dirname(page), to),
  )

describe.for(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8')

  it('names only files that exist', () => {
    expect(pathsIn(text).filter((path) => !isThere(path))).toEqual([])
    expect(fileNamesIn(text).filter((name) => !fileNames.has(name))).toEqual([])
  })

  it('names only what these files contain', () => {
    expect(namesIn(text).filter(({ name, path }) => isThere(path) && !contains(path, name))).toEqual([])
  })

  it('has no dead links', () => {
    expect(linksIn(page, text).filter((to) => !existsSync(to))).toEqual([])
  })
})

it('finds the paths that the pages name', () => {
  expect(pathsIn(readFileSync('docs/security.md', 'utf8')).length).toBeGreaterThan(100)
  expect(pathsIn('see `core/no-such-file.ts` and `npm test`')).toEqual(['core/no-such-file.ts'])
  expect(namesIn('`a` in `core/x.ts`, `b` (`core/x.ts`), `core/x.ts` (`c`; or more)')).toEqual([
    { name: 'a', path: 'core/x.ts' },
    { name: 'b', path: 'core/x.ts' },
    { name: 'c', path: 'core/x.ts' },
  ])
  expect(contains('core/requests/requests.ts', 'noSuchName')).toBe(false)
  expect(fileNamesIn('`live.ts` says it, `core/live.ts` and `1.5` do not')).toEqual(['live.ts'])
  expect(fileNames.has('live.ts')).toBe(true)
  expect(fileNames.has('no-such-file.ts')).toBe(false)
  expect(isThere('core/no-such-file.ts')).toBe(false)
  expect(isThere('core/requests/requests.ts')).toBe(true)
})

it.for(globSync('docs/decisions/0*.md'))('%s has the form of a record, and a row in the list', (page) => {
  const text = readFileSync(page, 'utf8')
  const [, number, title, status] =
    /^# (\d{3}) (.+)\n\nDate: \d{4}-\d\d-\d\d.* · Status: (accepted|replaced by \[\d{3}\]).*\n\n## Context\n/u.exec(
      text,
    ) ?? []
  expect([...text.matchAll(/^## (.+)$/gmu)].map(([, heading]) => heading)).toEqual([
    'Context',
    'Decision',
    'Consequences',
  ])
  expect(text.match(/\S*[\p{L}\p{N}]\S*/gu)?.length).toBeLessThanOrEqual(300)
  const row = `| [${number}](${posix.basename(page)}) | ${title} | ${status?.replaceAll(/[[\]]/gu, '')}`
  expect(readFileSync('docs/decisions/README.md', 'utf8')).toContain(row)
})
