import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { findBrowser } from './e2e/support/find-browser.ts'

/** What counts the page's bytes runs only with Preact. */
const isQuick = process.env['GUEST_RUNTIME'] === 'react'

/**
 * Builds the client, which the server serves, once before any worker starts, unless nothing changed. What Node
 * compiles is cached for all test processes, since they start the server many times.
 */
export async function setup(): Promise<void> {
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
  const started = [
    run(
      ['scripts/build.ts', ...(isQuick ? ['--quick'] : [])],
      'The client could not be built; see the message above.',
    ),
    // A process that a test kills caches nothing, so this one does.
    run(['--input-type=module', '--eval', `import './src/server/app.ts'`], 'The server could not be loaded.'),
  ]
  // Unpacks it meanwhile, which no test has the time for. Without one, the tests that need it say so.
  try {
    findBrowser()
  } catch {}
  await Promise.all(started)
}

async function run(args: string[], problem: string): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'production' }
  const [status] = await once(spawn(process.execPath, args, { stdio: 'inherit', env }), 'exit')
  if (status !== 0) throw new Error(problem)
}
