import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a run with one machine-readable line. A failure outside a test (a file that does not load, an
 * unhandled rejection) counts as failed, so that a run without failures really passed.
 */
export default class SummaryLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1
      const brokenSuites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0)
      count.failed += module.errors().length + brokenSuites.length
    }
    if (modules.length === 0) count.failed = Math.max(count.failed, 1)
    const skipped = count.skipped + count.pending
    const line = `tests: ${count.passed} passed, ${count.failed} failed${skipped ? `, ${skipped} skipped` : ''}`
    process.stdout.write(`${line}\n`)
  }
}
