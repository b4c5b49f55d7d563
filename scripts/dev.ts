/** Builds the client and starts the server; `npm run dev` repeats this after every change below src. */
import { spawnSync } from 'node:child_process'

const built = spawnSync(process.execPath, ['scripts/build.ts', '--quick'], { stdio: 'inherit' })
if (built.status === 0) await import('../src/server/main.ts')
