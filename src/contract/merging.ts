import { keysOf } from './keys-of.ts'

/** What becomes of a value that two people have changed, when the second of them saw it as it `was`. */
export type Merge = <T>(now: T, was: T, wanted: T) => T

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** For a form whose change was refused: what the other one has changed, and the rest as it was typed. */
export const keepTheirs: Merge = (now, was, wanted) => (isSame(now, was) ? wanted : now)

export function mergeFields<T extends object>(merge: Merge, now: T, was: T, wanted: T): T {
  const merged = { ...wanted }
  for (const key of keysOf({ ...now, ...wanted })) merged[key] = merge(now[key], was[key], wanted[key])
  return merged
}
