import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'

/** Builds the client once, before any worker starts, when a test of this run will load it. */
export function setup(project: TestProject): void {
  const loadsTheClient = /\/test\/(e2e\/(?!support\.)|budgets\.)/
  if (!project.vitest.state.getPaths().some((path) => loadsTheClient.test(path))) return
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) throw new Error('The client could not be built; see the message above.')
}
