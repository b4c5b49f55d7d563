/** Builds and starts; `npm run dev` does it again after every change below src. */
import { spawnSync } from 'node:child_process'

const built = spawnSync(process.execPath, ['scripts/build.ts', '--quick'], { stdio: 'inherit' })
if (built.status === 0) await import('../src/server/main.ts')
