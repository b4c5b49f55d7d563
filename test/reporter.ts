import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a run with one machine-readable line, after the names of what failed. A failure outside a test (a file that
 * does not load, an unhandled rejection) counts as failed, so that a run without failures really passed.
 */
export default class SummaryLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const failures = unhandledErrors.map(({ message }) => `outside a test: ${message}`)
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      for (const test of tests) count[test.result().state] += 1
      const file = module.relativeModuleId
      for (const { message } of module.errors()) failures.push(`${file}: ${message}`)
      for (const suite of module.children.allSuites())
        for (const { message } of suite.errors()) failures.push(`${file} > ${suite.fullName}: ${message}`)
      for (const test of tests.filter((each) => each.result().state === 'failed'))
        failures.push(`${file} > ${test.fullName}: ${test.result().errors?.[0]?.message ?? ''}`)
    }
    count.failed = failures.length
    if (modules.length === 0) count.failed = Math.max(count.failed, 1)
    for (const failure of failures) process.stdout.write(`failed: ${failure.split('\n', 1)[0]}\n`)
    const skipped = count.skipped + count.pending
    const line = `tests: ${count.passed} passed, ${count.failed} failed${skipped ? `, ${skipped} skipped` : ''}`
    process.stdout.write(`${line}\n`)
  }
}
