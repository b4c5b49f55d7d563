import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { leftOutOfSecondRun } from './test/support/second-run.ts'

/**
 * A worker is reused only for files with the same environment, so files are grouped by it: first the browser tests
 * and the proofs (the slowest), then the other node tests, then jsdom.
 */
class ByEnvironment extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const group = ({ moduleId }: TestSpecification): number =>
      /\/test\/(?:e2e|proofs)\//u.test(moduleId) ? 0 : moduleId.endsWith('.tsx') ? 2 : 1
    return (await super.sort(files)).toSorted((a, b) => group(a) - group(b))
  }
}

const browserTests = ['test/e2e/**/*.test.ts', 'test/proofs/screens/**/*.test.ts']
/** What kills processes, or waits for seconds of the clock on the wall: nothing else runs meanwhile. */
const quietTests = ['test/**/quiet/**/*.test.ts']
const exclude = [
  'node_modules/**',
  ...(process.env['TEST_DATABASE_URL'] ? leftOutOfSecondRun() : ['test/**/postgres/**']),
]

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'browser',
          include: browserTests,
          exclude: [...exclude, ...quietTests],
          // A browser starts within it, also while others do.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'code',
          include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}'],
          exclude: [...exclude, ...browserTests, ...quietTests],
        },
      },
      {
        extends: true,
        test: {
          name: 'quiet',
          include: quietTests,
          exclude,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    environment: 'node',
    isolate: false,
    // More than cores, because tests often wait: for a browser, or for a delay of the product.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: ByEnvironment },
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/setup.ts',
    reporters: ['default', './test/reporter.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 20_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})
