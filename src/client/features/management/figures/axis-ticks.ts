const second = 1000
const minute = 60 * second
const hour = 60 * minute
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * second),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 4, 8, 12, 24].map((hours) => hours * hour),
]

const maxTicks = 4

const ticksUpTo = (top: number, step: number): number[] =>
  Array.from({ length: Math.max(1, Math.ceil(top / step)) + 1 }, (_, index) => index * step)

/** From zero to the first step that is not below `top`, in steps that people read off a clock. */
export function timeTicks(top: number): number[] {
  const step =
    timeSteps.find((time) => top / time <= maxTicks) ?? Math.ceil(top / maxTicks / (24 * hour)) * 24 * hour
  return ticksUpTo(top, step)
}

/** The same for a count: whole numbers only. */
export function countTicks(top: number): number[] {
  const rough = Math.max(1, top / maxTicks)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((count) => count >= rough) ?? 1
  return ticksUpTo(top, step)
}

/** Draws every n-th of `count` labels, so that each has at least `minWidth` pixels. */
export const labelInterval = (count: number, width: number, minWidth: number): number =>
  Math.max(1, Math.ceil((minWidth * count) / Math.max(1, width)))
