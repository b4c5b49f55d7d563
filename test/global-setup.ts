import { spawnSync } from 'node:child_process'

/** Builds the client once, before any worker starts: the server serves it. Does nothing when nothing changed. */
export function setup(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) throw new Error('The client could not be built; see the message above.')
}
