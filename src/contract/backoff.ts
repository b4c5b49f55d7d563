type Backoff = { firstMs: number; growth: number; maxMs: number }

/** Spread at random, so that a restarted server does not meet all its clients at the same moment. */
export function backoffMs(
  failures: number,
  { firstMs, growth, maxMs }: Backoff,
  random: () => number = Math.random,
): number {
  return Math.min(firstMs * growth ** failures, maxMs) * (0.5 + random() / 2)
}
