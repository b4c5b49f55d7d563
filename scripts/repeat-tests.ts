import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Stops } from '../bench/drills/drill.ts'
import { startRedis } from '../bench/systems/redis.ts'
import { startPostgresServer } from '../test/support/postgres/postgres-server.ts'
import { describeFailure, type Failure } from '../test/support/test-report.ts'
import { runTests } from './vitest-runs.ts'

/**
 * Runs the tests again and again and prints what failed how often, as a table. Tests should never fail by chance, not
 * even on a busy machine: `--busy` keeps that many processors busy beside them.
 *
 *     npm run test:repeat -- --times 3 --engine postgres --busy 2
 *     npm run test:repeat -- --times 20 test/e2e/live/crew.test.ts
 */
const { values, positionals } = parseArgs({
  options: {
    times: { type: 'string', default: '3' },
    busy: { type: 'string', default: '0' },
    engine: { type: 'string', default: 'sqlite' },
  },
  allowPositionals: true,
})
const times = Number(values.times)
const busy = Number(values.busy)
if (!Number.isInteger(times) || !Number.isInteger(busy) || !['sqlite', 'postgres'].includes(values.engine))
  throw new Error('--times and --busy take numbers, --engine takes sqlite or postgres')

type Row = { failure: Failure; once: number; twice: number }
const rows = new Map<string, Row>()
const minutes: string[] = []
const stops: Stops = []
const loops: ChildProcess[] = Array.from({ length: busy }, () =>
  spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
)
try {
  const env = values.engine === 'postgres' ? await startServers() : {}
  for (let run = 1; run <= times; run++) {
    const startedAt = Date.now()
    const command = [process.execPath, join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...positionals]
    const { report, flaky } = await runTests(command, { env })
    for (const failure of flaky) rowOf(failure).once++
    for (const failure of report.failures) rowOf(failure).twice++
    minutes.push(((Date.now() - startedAt) / 60_000).toFixed(1))
  }
} finally {
  for (const loop of loops) loop.kill()
  for (const stop of stops.toReversed()) await stop()
}

console.log(`\n${times} runs on ${values.engine} beside ${busy} busy loops: ${minutes.join(', ')} minutes\n`)
console.log('| failed once | failed twice | test: error |\n|--:|--:|---|')
const byCount = [...rows.values()].toSorted((a, b) => b.twice - a.twice || b.once - a.once)
for (const { failure, once, twice } of byCount)
  console.log(`| ${once} | ${twice} | ${describeFailure(failure).replaceAll('|', String.raw`\|`)} |`)
if (rows.size === 0) console.log('| 0 | 0 | none |')
process.exitCode = byCount.some(({ twice }) => twice > 0) ? 1 : 0

function rowOf(failure: Failure): Row {
  const key = `${failure.file} ${failure.test}`
  const row = rows.get(key) ?? { failure, once: 0, twice: 0 }
  rows.set(key, row)
  return row
}

/** As in the second half of `.ci/run`. */
async function startServers(): Promise<NodeJS.ProcessEnv> {
  const postgres = await startPostgresServer()
  stops.push(() => postgres.remove())
  const redis = await startRedis(stops)
  return { TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url }
}
