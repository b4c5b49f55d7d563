import { writeFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'
import { closingLine, describeFailure, type Failure, type TestReport } from './support/test-report.ts'

/**
 * Ends a run with one machine-readable line, after the names of what failed. A failure outside a test (a file that
 * does not load, an unhandled rejection) counts as failed, so that a run without failures really passed. With
 * `TEST_REPORT` the report goes to that file instead, for whoever started the run (`scripts/run-tests.ts`).
 */
export default class SummaryLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const failures: Failure[] = unhandledErrors.map((error) => ({
      file: fileOf(error),
      test: 'outside a test',
      error: firstLine(error.message),
    }))
    for (const module of modules) {
      const file = module.relativeModuleId
      for (const { message } of module.errors())
        failures.push({ file, test: 'the file', error: firstLine(message) })
      for (const suite of module.children.allSuites())
        for (const { message } of suite.errors())
          failures.push({ file, test: suite.fullName, error: firstLine(message) })
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        count[state] += 1
        if (state === 'failed')
          failures.push({ file, test: test.fullName, error: firstLine(errors?.[0]?.message) })
      }
    }
    if (modules.length === 0) failures.push({ file: '', test: 'the run', error: 'no test file was found' })
    const report: TestReport = { passed: count.passed, skipped: count.skipped + count.pending, failures }
    const path = process.env['TEST_REPORT']
    if (path) {
      writeFileSync(path, JSON.stringify(report))
      return
    }
    for (const failure of failures) process.stdout.write(`failed: ${describeFailure(failure)}\n`)
    process.stdout.write(`${closingLine(report)}\n`)
  }
}

const firstLine = (text = ''): string => text.split('\n', 1)[0] ?? ''

/** The test file that ran when the error was thrown, if vitest knows it. */
function fileOf(error: SerializedError): string {
  const path = error['VITEST_TEST_PATH']
  return typeof path === 'string' ? path.replace(`${process.cwd()}/`, '') : ''
}
