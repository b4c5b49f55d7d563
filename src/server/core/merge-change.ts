import { isSame } from '#contract/merging.ts'
import { conflict } from './errors.ts'

export const changedMeanwhile = () =>
  conflict('Somebody else has changed this meanwhile. Please check what is there now.')

/**
 * What the caller left as it `was` stays as it is now. When two owners change it at once, the second is refused unless
 * both wanted the same.
 */
export function mergeChange<T>(now: T, was: T, wanted: T): T {
  if (isSame(wanted, was)) return now
  if (!isSame(now, was) && !isSame(now, wanted)) throw changedMeanwhile()
  return wanted
}
