import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findBrowser } from './e2e/support/find-browser.ts'

/** What counts the page's bytes runs only with Preact. */
const isQuick = process.env['GUEST_RUNTIME'] === 'react'

/**
 * Builds the client, which the server serves, once before any worker starts, unless nothing changed. What Node
 * compiles is cached for all test processes, since they start the server many times.
 */
export function setup(): void {
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
  run(
    ['scripts/build.ts', ...(isQuick ? ['--quick'] : [])],
    'The client could not be built; see the message above.',
  )
  // A process that a test kills caches nothing, so this one does.
  run(['--input-type=module', '--eval', `import './src/server/app.ts'`], 'The server could not be loaded.')
  // Unpacks it, which no test has the time for. Without one, the tests that need it say so.
  try {
    findBrowser()
  } catch {}
}

function run(args: string[], problem: string): void {
  const env = { ...process.env, NODE_ENV: 'production' }
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env })
  if (status !== 0) throw new Error(problem)
}
