import { expect, it } from 'vitest'
import { closingLine, type Failure, maxFlakyFiles, rerunFailedFiles } from '../support/test-report.ts'

const failure = (file: string, test = 'rings'): Failure => ({ file, test, error: 'silence' })
const passing = { passed: 3, skipped: 0, failures: [] }

it('counts a file that passes by itself as passed, and names what failed before', async () => {
  const failures = [failure('a.test.ts'), failure('a.test.ts', 'speaks')]
  const { report, flaky } = await rerunFailedFiles(
    { passed: 8, skipped: 0, failures },
    { runAlone: async () => passing, flakyFiles: [] },
  )
  expect(closingLine(report)).toBe('tests: 10 passed, 0 failed')
  expect(flaky).toEqual(failures)
})

it('counts what fails by itself too as failed, whatever else in the file passed', async () => {
  const again = [failure('a.test.ts')]
  const { report, flaky } = await rerunFailedFiles(
    { passed: 8, skipped: 1, failures: [failure('a.test.ts'), failure('a.test.ts', 'speaks')] },
    { runAlone: async () => ({ passed: 2, skipped: 0, failures: again }), flakyFiles: [] },
  )
  expect(closingLine(report)).toBe('tests: 9 passed, 1 failed, 1 skipped')
  expect(flaky).toEqual([])
})

it('runs the files that failed one after the other', async () => {
  const begun: string[] = []
  let running = 0
  await rerunFailedFiles(
    { passed: 0, skipped: 0, failures: [failure('a.test.ts'), failure('b.test.ts')] },
    {
      async runAlone(file) {
        expect(running++).toBe(0)
        begun.push(file)
        await Promise.resolve()
        running--
        return passing
      },
      flakyFiles: [],
    },
  )
  expect(begun).toEqual(['a.test.ts', 'b.test.ts'])
})

it('runs nothing again after a failure that belongs to no file', async () => {
  const failures = [failure('a.test.ts'), failure('', 'the run')]
  const run = await rerunFailedFiles(
    { passed: 0, skipped: 0, failures },
    {
      runAlone: () => {
        throw new Error('nothing is to be run again')
      },
      flakyFiles: [],
    },
  )
  expect(run.report.failures).toEqual(failures)
})

it('takes too many failed files in one half for no chance', async () => {
  const known = Array.from({ length: maxFlakyFiles }, (_, index) => `known-${index}.test.ts`)
  const failures = [failure('one-more.test.ts')]
  const half = { runAlone: async () => passing, flakyFiles: known }
  expect((await rerunFailedFiles({ passed: 0, skipped: 0, failures }, half)).report.failures).toEqual(
    failures,
  )
  const repeated = [failure('known-0.test.ts')]
  expect((await rerunFailedFiles({ passed: 0, skipped: 0, failures: repeated }, half)).flaky).toEqual(
    repeated,
  )
})
