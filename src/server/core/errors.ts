import type { ErrorBody, ErrorCode } from '#contract/errors.ts'
import { isDuplicate, isOrphan } from '../storage/constraints.ts'

/** A refusal the caller is meant to read. Anything else that is thrown is a bug, and is hidden. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  /** In seconds: when it is worth trying again. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { retryAfter?: number }) {
    super(message, options)
    this.code = code
    this.retryAfter = options?.retryAfter
  }
}

export const invalid = (message: string) => new Refusal('invalid', message)
export const notFound = (what: string) => new Refusal('not_found', `${what} not found`)
export const conflict = (message: string) => new Refusal('conflict', message)
export const forbidden = (message = 'You may not do that') => new Refusal('forbidden', message)
export const unauthenticated = (message = 'Unauthorized') => new Refusal('unauthenticated', message)

/** What a caller is told about an error: all of a refusal, nothing of a bug. */
export function explain(log: { error(details: object, message: string): void }, error: unknown): ErrorBody {
  if (error instanceof Refusal) return { code: error.code, message: error.message }
  // Two callers took the same name or number at the same moment, and the other one was first.
  if (isDuplicate(error)) return { code: 'conflict', message: 'This already exists' }
  // What it was about was there when the call began.
  if (isOrphan(error)) return { code: 'conflict', message: 'Somebody removed this meanwhile' }
  log.error({ error }, 'unexpected error')
  return { code: 'internal', message: 'Something went wrong' }
}
