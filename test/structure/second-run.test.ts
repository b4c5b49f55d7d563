import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { leftOutOfSecondRun, reachesDifference, testsAlikeInBothRuns } from '../support/second-run.ts'

it('leaves out of the second run only tests that cannot tell it from the first', () => {
  const alike = testsAlikeInBothRuns()
  expect(alike).toContain('src/contract/floor/qr.test.ts')
  expect(alike).toContain('src/client/ui/dialogs/dialog.test.tsx')
  // They choose their database themselves.
  const ownDatabase = [
    'src/server/storage/shards.test.ts',
    'test/proofs/installation.test.ts',
    'test/proofs/package.test.ts',
  ]
  const others = alike.filter((test) => !ownDatabase.includes(test))
  expect(others.filter((test) => /^test\/(?:e2e|postgres|proofs|screens)\//u.test(test))).toEqual([])
  expect(
    others.filter((test) =>
      /^src\/server\/storage\/(?!engine\/(?:errors|postgres\/(?:postgres-pool|transaction-group)))/u.test(
        test,
      ),
    ),
  ).toEqual([])
})

it('repeats the journeys of requests over several screens, and every proof of a server', () => {
  const leftOut = new Set(globSync(leftOutOfSecondRun()))
  expect(globSync('test/e2e/live/*.test.ts').filter((test) => leftOut.has(test))).toEqual([])
  expect(globSync('test/proofs/*.test.ts').filter((test) => leftOut.has(test))).toEqual([
    'test/proofs/installation.test.ts',
    'test/proofs/package.test.ts',
    'test/proofs/simulation.test.ts',
  ])
  expect(leftOut).toContain('test/e2e/accounts/recovery.test.ts')
  expect(leftOut).toContain('test/proofs/unread/unread-input.test.ts')
  expect(leftOut).toContain('test/screens/owner.test.tsx')
})

it('leaves out what opens only databases of its own', () => {
  const once = globSync('test/once/**/*.test.ts')
  expect(once).toContain('test/once/backup-files.test.ts')
  const leftOut = new Set(globSync(leftOutOfSecondRun()))
  expect(once.filter((test) => !leftOut.has(test))).toEqual([])
  const ofTheRun = /\b(?:freshDatabase|emptyDatabase|setUpApp|startTestApp\((?!\{ databaseUrl)|TEST_\w+_URL)/u
  expect(once.filter((test) => ofTheRun.test(readFileSync(test, 'utf8')))).toEqual([])
})

it('follows every way in which a test can reach what differs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tableside-second-run-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  write('database.ts', 'export const url = process.env.TEST_REDIS_URL')
  write('app.ts', `export * from './database.ts'`)
  const ways = {
    import: `import { url } from './app.ts'`,
    later: `const { url } = await import("./app.ts")`,
    mock: `vi.mock('./app.ts')`,
    thread: `new Worker(new URL('./app.ts', import.meta.url))`,
    computed: 'await import(name)',
  }
  for (const [name, text] of Object.entries(ways))
    expect([name, reachesDifference(write(name, text))]).toEqual([name, true])
  expect(reachesDifference(write('none', `import { it } from 'vitest'`))).toBe(false)
})
