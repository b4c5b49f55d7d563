import type { Failure } from './run.ts'
import type { Step } from './steps.ts'

const maxAttempts = 150

/**
 * The fewest steps found that break the same promise: first those up to the failure, then without ever smaller parts,
 * until no single step can be left out.
 */
export async function shrink(
  steps: readonly Step[],
  failure: Failure,
  tryRun: (steps: readonly Step[]) => Promise<Failure | null>,
): Promise<{ steps: readonly Step[]; failure: Failure }> {
  let best = { steps: steps.slice(0, failure.step + 1), failure }
  let attempts = 0
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.steps.length && attempts < maxAttempts; attempts++) {
      const fewer = best.steps.toSpliced(at, size)
      const found = await tryRun(fewer)
      if (found?.promise === failure.promise) best = { steps: fewer.slice(0, found.step + 1), failure: found }
      else at += size
    }
  }
  return best
}
