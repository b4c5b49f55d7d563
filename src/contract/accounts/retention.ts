import * as v from 'valibot'
import type { OutsideChannelKind } from '../outside/outside-alerts.ts'

/** What an owner may have removed after a while: requests with their events, messages among the crew, the audit log. */
export const retentionKinds = ['requests', 'messages', 'log'] as const
export type RetentionKind = (typeof retentionKinds)[number]

/**
 * In days. Reports look back five weeks, and what was deleted comes back within 30 days; whoever gets into an account is
 * often noticed only weeks later, and may not erase the traces.
 */
export const minRetentionDays: Record<RetentionKind, number> = { requests: 35, messages: 1, log: 90 }
export const maxRetentionDays = 3_660

const shortest: Record<RetentionKind, string> = {
  requests: 'Requests are kept for at least 35 days',
  messages: 'Messages are kept for at least 1 day',
  log: 'The log is kept for at least 90 days',
}

function daysOf(kind: RetentionKind) {
  const whole = 'Please enter a whole number of days'
  return v.nullable(
    v.pipe(
      v.number(whole),
      v.safeInteger(whole),
      v.minValue(minRetentionDays[kind], shortest[kind]),
      v.maxValue(maxRetentionDays, 'Please enter at most 3660 days'),
    ),
  )
}

const days = { requests: daysOf('requests'), messages: daysOf('messages'), log: daysOf('log') }

/** For how many days each is kept; null: for as long as the restaurant exists. */
export const Retention = v.object(days)
export type Retention = v.InferOutput<typeof Retention>

/**
 * With `was`, what the caller saw, only what differs is changed. What somebody else has changed meanwhile in another way is
 * refused as a conflict.
 */
export const RetentionChange = v.object({ ...days, was: v.optional(Retention) })
export type RetentionChange = v.InferOutput<typeof RetentionChange>

/** Whether it keeps less of anything. */
export const isShorter = (kind: RetentionKind, after: Retention, before: Retention): boolean =>
  (after[kind] ?? Infinity) < (before[kind] ?? Infinity)

/** What removing something here leaves elsewhere. */
export type Remains = {
  /** The backups that the server makes by itself; others may exist. */
  backups: { everyMs: number; keep: number } | null
  /** Who was sent alarms, events or reports, and when last; null: nothing so far. */
  receivers: { kind: OutsideChannelKind; name: string; lastAt: number | null }[]
}

type ByKind<T> = Record<RetentionKind, T>

export type RetentionState = {
  retention: Retention
  /** On the restaurant's clock. */
  timeZone: string
  /** The first day of which there is anything; null if there is nothing. */
  oldest: ByKind<string | null>
  /** The first day of which everything is there; null if nothing was ever removed. */
  keptFrom: ByKind<string | null>
  /** When what is too old is removed next; null if everything is kept. */
  runAt: number | null
  /** When that would be if something were kept for a shorter time from now on. */
  earliestRun: { at: number; day: string }
  /** What was set before it was last shortened, until something is removed because of that. */
  undo: Retention | null
  remains: Remains
}
