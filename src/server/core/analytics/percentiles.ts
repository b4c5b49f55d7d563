import type { DurationSummary } from '#contract/analytics.ts'

export function summarizeDurations(values: number[]): DurationSummary {
  if (values.length === 0) return null
  const sorted = new Float64Array(values).toSorted()
  return {
    count: sorted.length,
    medianMs: nearestRank(sorted, 50),
    p90Ms: nearestRank(sorted, 90),
    p99Ms: nearestRank(sorted, 99),
    meanMs: Math.round(mean(sorted) ?? 0),
  }
}

const nearestRank = (sorted: Float64Array, percent: number): number =>
  sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? 0

export function mean(values: ArrayLike<number>): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0
  return sum / values.length
}
