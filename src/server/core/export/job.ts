import type { ErrorCode } from '#contract/errors.ts'

/** What the thread that writes a file is given. `fd`: of an empty file, which nobody else has open. */
export type ExportJob = { databaseUrl: string; restaurantId: string; now: number; fd: number }

/** What it reports: `begun` first, unless another file is being written anywhere, and one of the others last. */
export type ExportNews =
  | { kind: 'busy' }
  | { kind: 'begun' }
  | { kind: 'done'; name: string; bytes: number }
  | { kind: 'unknown' }
  | { kind: 'refused'; code: ErrorCode; message: string }
  | { kind: 'failed'; error: string; code: string; outage: boolean }
