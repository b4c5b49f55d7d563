import type { Figures } from '#contract/analytics.ts'
import type { Span } from '../../storage/analytics/analytics.ts'
import type { ListeningChange } from '../../storage/analytics/listening.ts'
import type { RequestFact } from './request-facts.ts'

export type ListeningHistory = Span & { changes: ListeningChange[] }

/** The part of the days that is over, from the restaurant's creation on. */
export function elapsedSpan(starts: number[], createdAt: number, now: number): Span {
  const from = Math.max(starts[0] ?? 0, createdAt)
  return { from, to: Math.max(from, Math.min(starts.at(-1) ?? 0, now)) }
}

/** Before the first change nobody listened; a change that repeats the last one has no effect. */
function findUnattendedSpans({ from, to, changes }: ListeningHistory): Span[] {
  const spans: Span[] = []
  let unattendedSince: number | null = from
  for (const { at, listening } of [...changes, { at: to, listening: 1 }]) {
    const clamped = Math.min(Math.max(at, from), to)
    if (listening === 0) unattendedSince ??= clamped
    else {
      if (unattendedSince !== null && clamped > unattendedSince)
        spans.push({ from: unattendedSince, to: clamped })
      unattendedSince = null
    }
  }
  return spans
}

export function measureUnattendedTime(
  facts: RequestFact[],
  measured: ListeningHistory,
): NonNullable<Figures['unheard']> {
  const unattendedSpans = findUnattendedSpans(measured)
  const [atCreation, whileWaiting] = [createSpanCursor(unattendedSpans), createSpanCursor(unattendedSpans)]
  let whileWaitingMs = 0
  let requests = 0
  let coveredUntil = measured.from
  for (const { created, response, closed } of facts) {
    if ((unattendedSpans[atCreation(created)]?.from ?? Infinity) <= created) requests++
    const from = Math.max(created, coveredUntil)
    const to = Math.min(created + (response ?? closed ?? Infinity), measured.to)
    if (to <= from) continue
    whileWaitingMs += overlapMs(unattendedSpans, whileWaiting(from), from, to)
    coveredUntil = to
  }
  const ms = unattendedSpans.reduce((sum, { from, to }) => sum + to - from, 0)
  return { measuredMs: measured.to - measured.from, ms, whileWaitingMs, requests }
}

/** Finds the first span that ends after an instant; each call must pass a later instant than the last. */
function createSpanCursor(spans: Span[]): (at: number) => number {
  let index = 0
  return (at) => {
    while (index < spans.length && (spans[index]?.to ?? 0) <= at) index++
    return index
  }
}

function overlapMs(spans: Span[], first: number, from: number, to: number): number {
  let sum = 0
  for (let index = first; index < spans.length; index++) {
    const span = spans[index]
    if (!span || span.from >= to) break
    sum += Math.min(span.to, to) - Math.max(span.from, from)
  }
  return sum
}
