import type { RefusalBody } from '#contract/errors.ts'
import type { ProcessMetrics } from '../adapters/metrics.ts'
import type { SocketQuota } from '../live/limits/socket-limits.ts'
import type { LimitKey, LimitsSignal } from '../ports/limits.ts'

/** What a worker asks of the primary, which counts for all of them. */
export type Call =
  | { kind: 'take' | 'check' | 'clear'; key: LimitKey }
  | {
      kind: 'take-all'
      taken: readonly LimitKey[]
      alsoChecked: readonly LimitKey[]
      cleared: readonly LimitKey[]
    }
  /** `id` is the worker's own; a reservation of a worker that died is released too. */
  | { kind: 'reserve-socket'; id: number; quotas: readonly SocketQuota[] }
  | { kind: 'release-socket'; id: number }
  | { kind: 'metrics' }

export type CallAnswer =
  | { kind: 'done' }
  | { kind: 'refused'; error: RefusalBody & { retryAfter?: number | undefined } }
  | { kind: 'metrics'; text: string }

export type WorkerMessage =
  | { kind: 'ready' }
  /** All calls of one turn of the event loop. */
  | { kind: 'calls'; batch: number; calls: Call[] }
  | { kind: 'measured'; metrics: ProcessMetrics }
  /** From another server. Each worker passes it on. */
  | { kind: 'limits'; signal: LimitsSignal }
  | { kind: 'limits-missed' }

export type PrimaryMessage =
  | { kind: 'answers'; batch: number; answers: CallAnswer[] }
  | { kind: 'measure' }
  /** For the other servers. */
  | { kind: 'publish'; signals: LimitsSignal[] }
  /** `replaced`: the other workers go on. */
  | { kind: 'stop'; replaced: boolean }
