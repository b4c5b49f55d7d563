import type { LoadGenerator } from './load-generator.ts'

export const limitMs = 50

const firstRate = 50
/** Between a rate and its double. */
const fineSteps = [1.19, 1.41, 1.68]

/** How long guests and screens waited at a number of requests per second, in milliseconds. */
export type Rung = { perSecond: number; p99: number }

/**
 * The highest rate of new phones at which the 99th percentile of guests has an answer, and of crew screens the request,
 * in time. The rate doubles until one step fails, then rises in finer steps from the last that held; two failures in a
 * row end it.
 */
export async function climbLadder(
  load: LoadGenerator,
  stepMs: number,
): Promise<Record<'held' | 'failed', Rung>> {
  async function climb(perSecond: number): Promise<Rung> {
    const { answer, screen } = await load.openLoop('new phone', perSecond, stepMs / 5, stepMs)
    return { perSecond, p99: Math.max(answer.p99, screen.p99) }
  }
  await load.system.openConnections(256)
  let held: Rung = { perSecond: 0, p99: Number.NaN }
  let failed = await climb(firstRate)
  while (failed.p99 < limitMs) {
    held = failed
    failed = await climb(held.perSecond * 2)
  }
  const coarse = held.perSecond
  let failures = 0
  for (const factor of coarse > 0 ? fineSteps : []) {
    const rung = await climb(Math.round((coarse * factor) / 10) * 10)
    if (rung.p99 < limitMs) {
      held = rung
      failures = 0
    } else {
      if (failures === 0) failed = rung
      if (++failures === 2) break
    }
  }
  return { held, failed }
}
