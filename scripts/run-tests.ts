import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { closingLine, describeFailure } from '../test/support/test-report.ts'
import { runTests } from './vitest-runs.ts'

/**
 * Runs a command that ends in vitest, then each file that failed once more by itself, and ends with a line for each
 * test that failed only once (`flaky:`) or twice (`failed:`) and the numbers. `--flaky-files` names a file in which the
 * commands of one half of `.ci/run` collect what was flaky, because it is limited for all of them together.
 *
 *     node scripts/run-tests.ts --flaky-files /tmp/flaky -- npm test
 */
const { values, positionals } = parseArgs({
  options: { 'flaky-files': { type: 'string' } },
  allowPositionals: true,
})
const list = values['flaky-files']
const flakyFiles = list !== undefined && existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : []

const { report, flaky } = await runTests(positionals, { flakyFiles })
if (list !== undefined)
  for (const file of new Set(flaky.map((failure) => failure.file))) appendFileSync(list, `${file}\n`)
for (const failure of flaky) console.log(`flaky: ${describeFailure(failure)}`)
for (const failure of report.failures) console.log(`failed: ${describeFailure(failure)}`)
console.log(closingLine(report))
process.exitCode = report.failures.length > 0 ? 1 : 0
