import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { leftOutOfSecondRun } from './test/support/second-run.ts'

/**
 * A worker is reused only if the next file has the same environment, so files are grouped by it: first the node tests
 * (the slowest before others: in browsers, the proofs, and with several nodes), then jsdom.
 */
class ByEnvironment extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const group = ({ moduleId }: TestSpecification): number =>
      /\/test\/(?:e2e|proofs)\//u.test(moduleId)
        ? 0
        : moduleId.includes('/test/postgres/')
          ? 1
          : isInJsdom(moduleId)
            ? 3
            : 2
    return (await super.sort(files)).toSorted((a, b) => group(a) - group(b))
  }
}

/** As the first line of a test says. */
const isInJsdom = (file: string): boolean =>
  readFileSync(file, 'utf8').startsWith('// @vitest-environment jsdom')

const exclude = [
  'node_modules/**',
  ...(process.env['TEST_DATABASE_URL'] ? leftOutOfSecondRun() : ['test/**/postgres/**']),
]
/** Enough on a machine that is four times as slow as usual, where a browser starts while others do. */
const patient = { testTimeout: 300_000, hookTimeout: 300_000 }

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'browser', include: ['test/e2e/**/*.test.ts'], exclude, ...patient } },
      { extends: true, test: { name: 'proofs', include: ['test/proofs/**/*.test.ts'], exclude, ...patient } },
      {
        extends: true,
        test: {
          name: 'code',
          include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}'],
          exclude: [...exclude, 'test/e2e/**', 'test/proofs/**', 'test/quiet/**'],
        },
      },
      {
        extends: true,
        // What compares times runs after all others, one file after the other.
        test: {
          name: 'quiet',
          include: ['test/quiet/**/*.test.ts'],
          exclude,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    environment: 'node',
    isolate: false,
    // More than cores, because tests often wait: for a browser, for another process, or for a delay of the product.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: ByEnvironment },
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/setup.ts',
    reporters: ['default', './test/reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})
