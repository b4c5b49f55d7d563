import { secondMs } from '#contract/durations.ts'

/** A busy process looks late by less than this; by more after its machine was suspended, or its clock was set. */
const maxStepMs = 2 * secondMs

/**
 * The time that this process has seen pass, in milliseconds: only for that long can others have been silent. It must be
 * asked at least twice a second.
 */
export function createSeenTime(now: () => number): () => number {
  let seenMs = 0
  let last = now()
  return () => {
    const time = now()
    seenMs += Math.min(Math.max(time - last, 0), maxStepMs)
    last = time
    return seenMs
  }
}
