import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Outcome, rerunFailedFiles, type TestReport } from '../test/support/test-report.ts'

type Options = {
  /** Added to the environment. */
  env?: NodeJS.ProcessEnv
  /** The files that failed only once before in the same half of the run. */
  flakyFiles?: readonly string[]
}

/** Runs a command that ends in vitest, then each file that failed once more by itself. */
export async function runTests(
  command: string[],
  { env = {}, flakyFiles = [] }: Options = {},
): Promise<Outcome> {
  return rerunFailedFiles(await runOnce(command, env), {
    runAlone(file) {
      console.log(`\nOnce more, by itself: ${file}`)
      return runOnce([process.execPath, join('node_modules', 'vitest', 'vitest.mjs'), 'run', file], env)
    },
    flakyFiles,
  })
}

/** A command that ends without a report, such as one that found an error of a type, counts as one failure. */
async function runOnce(command: string[], env: NodeJS.ProcessEnv): Promise<TestReport> {
  const folder = mkdtempSync(join(tmpdir(), 'tableside-tests-'))
  const reportFile = join(folder, 'report.json')
  try {
    const [program = '', ...args] = command
    const child = spawn(program, args, {
      stdio: 'inherit',
      env: { ...process.env, ...env, TEST_REPORT: reportFile },
    })
    const ending = await new Promise<string>((resolve) => {
      child.once('error', ({ message }) => resolve(message))
      child.once('exit', (code, signal) => resolve(`ended with ${signal ?? code}`))
    })
    const report: TestReport = existsSync(reportFile)
      ? JSON.parse(readFileSync(reportFile, 'utf8'))
      : { passed: 0, skipped: 0, failures: [] }
    if (existsSync(reportFile) && (report.failures.length > 0 || ending === 'ended with 0')) return report
    return { ...report, failures: [{ file: '', test: command.join(' '), error: ending }] }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
