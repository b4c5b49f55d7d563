import type { LoadGenerator } from './load-generator.ts'

export const limitMs = 50

const firstRate = 50
/** Between a rate and its double. */
const fineSteps = [1.19, 1.41, 1.68]

/**
 * How long 99 % of guests and screens waited at most at a number of requests per second, in milliseconds, and how many
 * taps and completions were refused.
 */
export type Rung = { perSecond: number; p99: number; refused: number }

const isInTime = ({ p99, refused }: Rung): boolean => p99 < limitMs && refused === 0

/**
 * The highest rate of new phones at which 99 % of guests have their answer, and 99 % of crew screens the request, in
 * time, and nobody is refused. The rate doubles until a step fails twice, and then rises in finer steps from the last that held.
 */
export async function climbLadder(
  load: LoadGenerator,
  stepMs: number,
): Promise<{ held: Rung; failed: Rung }> {
  async function climb(perSecond: number): Promise<Rung> {
    const { answer, screen, refused } = await load.openLoop('new phone', perSecond, stepMs / 5, stepMs)
    return { perSecond, p99: Math.max(answer.p99, screen.p99), refused }
  }
  async function climbTwice(perSecond: number): Promise<Rung> {
    const rung = await climb(perSecond)
    return isInTime(rung) ? rung : climb(perSecond)
  }
  await load.system.openConnections(256)
  // The first requests make the server compile its code.
  await climb(firstRate)
  let held: Rung = { perSecond: 0, p99: Number.NaN, refused: 0 }
  let failed = await climbTwice(firstRate)
  while (isInTime(failed)) {
    held = failed
    failed = await climbTwice(held.perSecond * 2)
  }
  const coarse = held.perSecond
  for (const step of coarse > 0 ? fineSteps : []) {
    const rung = await climbTwice(Math.round((coarse * step) / 10) * 10)
    if (isInTime(rung)) held = rung
    else return { held, failed: rung }
  }
  return { held, failed }
}
