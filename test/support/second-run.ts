import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Everything that `.ci/run` changes between its first run and its second. */
const differences = /TEST_DATABASE_URL|TEST_REDIS_URL|WORKER_CHROME_PATH/u
/** Whatever looks like the path of a module, whether it is imported, mocked or started. */
const paths = /['"`](?<path>(?:\.{1,2}\/|#contract\/|\w)[\w./-]*\.tsx?)['"`]/gu
const computedImport = /import\((?!\s*['"])/u

/**
 * Screens look the same whatever the database: what differs reaches them through the server's operations, which run
 * on both. Journeys of guests' requests over several screens and servers stand in `test/e2e/live`, which the second run
 * repeats.
 */
const screenTests = [
  'src/client/**',
  'test/e2e/*.test.ts',
  'test/e2e/!(live)/*.test.ts',
  'test/proofs/screens/**',
  'test/screens/**',
]

/** They start servers and commands on databases of their own, whatever the run. */
const ownServers = ['test/bench/**', 'test/once/**', 'test/proofs/simulation.test.ts']

/** What is refused before any statement depends on what was sent. */
const unread = ['test/proofs/unread/**']

/** The tests of the first run that the second need not repeat. */
export function leftOutOfSecondRun(): string[] {
  return [...screenTests, ...ownServers, ...unread, ...testsAlikeInBothRuns()]
}

/**
 * The tests that would be the same in the second run as in the first: neither they nor anything that they reach asks
 * for what differs, so they cannot know which database, bus or browser it is.
 */
export function testsAlikeInBothRuns(): string[] {
  return globSync('{src,test}/**/*.test.{ts,tsx}').filter((test) => !reachesDifference(test))
}

export function reachesDifference(start: string): boolean {
  const found = new Set([start])
  for (const file of found) {
    const text = read(file)
    if (differences.test(text) || computedImport.test(text)) return true
    for (const { groups } of text.matchAll(paths)) {
      const path = groups?.['path'] ?? ''
      if (path.startsWith('#')) found.add(join('src', path.slice(1)))
      else found.add(path.startsWith('.') ? join(dirname(file), path) : path)
    }
  }
  return false
}

const texts = new Map<string, string>()

/** Empty if there is no such file: a test may invent the name of one. */
function read(file: string): string {
  const known = texts.get(file)
  if (known !== undefined) return known
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {}
  texts.set(file, text)
  return text
}
