import type { RequestEventKind } from '../storage/schema.ts'

export type Log = {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** A guest's tap, other calls of the guest page, calls of staff, pages and their files, or messages of screens. */
export type Answered = 'tap' | 'guest' | 'staff' | 'page' | 'live'
export type Retried = 'transaction' | 'bus' | 'push' | 'outside' | 'payment'

/** What operators watch. A call costs about a microsecond. */
export type Metrics = {
  /** `status`: as HTTP has it, for the live channel too. */
  answered: (what: Answered, status: number, seconds: number) => void
  happened: (kind: RequestEventKind) => void
  tapSeen: (seconds: number) => void
  /** How many transactions shared a COMMIT, and how long it took. */
  committed: (transactions: number, seconds: number) => void
  /** How long a signal took to the broker and back. */
  busAnswered: (seconds: number) => void
  retried: (what: Retried) => void
}

/** Does `work`, and shows in the operator's traces how long it took. The name must not tell whom it is for. */
export type Trace = <T>(name: string, work: () => Promise<T>) => Promise<T>
