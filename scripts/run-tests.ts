import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  closingLine,
  describeFailure,
  rerunFailedFiles,
  type TestReport,
} from '../test/support/test-report.ts'

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
const flakyList = values['flaky-files']
const folder = mkdtempSync(join(tmpdir(), 'tableside-tests-'))
const reportFile = join(folder, 'report.json')

const [program = '', ...args] = positionals
const first = await run(program, args)
const { report, flaky } = await rerunFailedFiles(first, {
  runAlone(file) {
    console.log(`\nOnce more, by itself: ${file}`)
    return run(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', file])
  },
  flakyFiles:
    flakyList !== undefined && existsSync(flakyList)
      ? readFileSync(flakyList, 'utf8').split('\n').filter(Boolean)
      : [],
})
rmSync(folder, { recursive: true })

for (const failure of flaky) console.log(`flaky: ${describeFailure(failure)}`)
for (const failure of report.failures) console.log(`failed: ${describeFailure(failure)}`)
console.log(closingLine(report))
if (flakyList !== undefined)
  for (const file of new Set(flaky.map((failure) => failure.file))) appendFileSync(flakyList, `${file}\n`)
process.exitCode = report.failures.length > 0 ? 1 : 0

/** A command that ends without a report, such as one that found an error of a type, counts as one failure. */
async function run(command: string, options: string[]): Promise<TestReport> {
  rmSync(reportFile, { force: true })
  const child = spawn(command, options, {
    stdio: 'inherit',
    env: { ...process.env, TEST_REPORT: reportFile },
  })
  const ending = await new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message))
    child.once('exit', (code, signal) => resolve(`ended with ${signal ?? code}`))
  })
  if (existsSync(reportFile)) {
    const report: TestReport = JSON.parse(readFileSync(reportFile, 'utf8'))
    if (report.failures.length > 0 || ending === 'ended with 0') return report
    return { ...report, failures: [{ file: '', test: 'the run', error: ending }] }
  }
  const test = [command, ...options].join(' ')
  return { passed: 0, skipped: 0, failures: [{ file: '', test, error: ending }] }
}
