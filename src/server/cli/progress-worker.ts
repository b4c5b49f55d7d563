import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

const appearsAfterMs = 2_000
const intervalMs = 100
const width = 30
/** A thread's own `process.stderr` waits for the one that is busy. */
const stderr = 2

const { label, shared }: { label: string; shared: Float64Array } = workerData

/** A bar where it is known how much there is; else how much is done, or how long it has taken. */
function describe(): string {
  const [done = 0, total = 0] = shared
  if (total > 0) {
    const share = Math.min(1, done / total)
    const filled = Math.round(share * width)
    return ` [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${Math.floor(share * 100)} %`
  }
  return done > 0 ? ` ${done.toLocaleString('en')}` : `, ${Math.floor(performance.now() / 1000)} s`
}

function draw(): void {
  shared[2] = 1
  writeSync(stderr, `\r\u001B[K${label}${describe()}`)
}

setTimeout(() => setInterval(draw, intervalMs), appearsAfterMs)
