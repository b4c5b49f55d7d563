/** What one run of the tests came to; `file` is relative to the project, and empty if no file is at fault. */
export type Failure = { file: string; test: string; error: string }
export type TestReport = { passed: number; skipped: number; failures: Failure[] }

export const describeFailure = ({ file, test, error }: Failure): string =>
  `${file ? `${file} > ` : ''}${test}: ${error}`

/** How every run ends; CI reads the numbers. */
export function closingLine({ passed, skipped, failures }: TestReport): string {
  return `tests: ${passed} passed, ${failures.length} failed${skipped ? `, ${skipped} skipped` : ''}`
}

/** More files than this fail by chance only if something is wrong with all of them. */
export const maxFlakyFiles = 2

type Half = {
  /** Runs one file in a process of its own. */
  runAlone: (file: string) => Promise<TestReport>
  /** The files that failed only once before in the same half of the run. */
  flakyFiles: readonly string[]
}

export type Outcome = { report: TestReport; flaky: Failure[] }

/**
 * Runs each file that failed once more by itself, one after the other: its tests share a server and names, so a retry
 * within the file would prove nothing. A file that passes alone is flaky. None is run again if that would make too many.
 */
export async function rerunFailedFiles(report: TestReport, { runAlone, flakyFiles }: Half): Promise<Outcome> {
  const failedFiles = [...new Set(report.failures.map(({ file }) => file))]
  const known = new Set([...flakyFiles, ...failedFiles])
  if (failedFiles.includes('') || known.size > maxFlakyFiles) return { report, flaky: [] }
  const flaky: Failure[] = []
  const outcome: TestReport = { ...report, failures: [] }
  for (const file of failedFiles) {
    const again = await runAlone(file)
    const before = report.failures.filter((failure) => failure.file === file)
    if (again.failures.length > 0) outcome.failures.push(...again.failures)
    else flaky.push(...before)
    // What passed only now; a file that did not load had no tests to count.
    outcome.passed += Math.max(before.length - again.failures.length, 0)
  }
  return { report: outcome, flaky }
}
