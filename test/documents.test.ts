import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const pages = [...globSync('*.md'), ...globSync('docs/**/*.md'), 'bench/README.md']

/** Pages may omit the beginning of a path: `core/requests/requests.ts`. */
const folders = ['', 'src/', 'src/server/', 'src/client/', 'src/client/features/']

const isThere = (path: string): boolean => folders.some((folder) => existsSync(folder + path))

const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|css|md|json))`/gu)].map(([, path = '']) => path)

const linksIn = (page: string, text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/gu)].map(([, to = '']) =>
    posix.join(posix.dirname(page), to),
  )

describe.for(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8')

  it('names only files that exist', () => {
    expect(pathsIn(text).filter((path) => !isThere(path))).toEqual([])
  })

  it('has no dead links', () => {
    expect(linksIn(page, text).filter((to) => !existsSync(to))).toEqual([])
  })
})

it('finds the paths that the pages name', () => {
  expect(pathsIn(readFileSync('docs/security.md', 'utf8')).length).toBeGreaterThan(100)
  expect(pathsIn('see `core/no-such-file.ts` and `npm test`')).toEqual(['core/no-such-file.ts'])
  expect(isThere('core/no-such-file.ts')).toBe(false)
  expect(isThere('core/requests/requests.ts')).toBe(true)
})
