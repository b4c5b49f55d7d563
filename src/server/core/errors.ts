import { hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import type { ErrorBody, ErrorCode } from '#contract/errors.ts'
import { isForeignKeyViolation, isOutage, isUniqueViolation } from '../storage/engine/errors.ts'

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
export const recentSignInRequired = () =>
  new Refusal('recent_sign_in_required', 'Please confirm that it is you to do that')
export const unauthenticated = (message = 'Unauthorized') => new Refusal('unauthenticated', message)

/** The database is away or takes no writes. */
export function databaseUnavailable(cause: unknown): Refusal {
  const message = 'The server cannot reach its data right now. Please try again in a moment.'
  return new Refusal('unavailable', message, { cause, retryAfter: 5 })
}

/** What the caller may be told of an error of the database; undefined when it is a bug. */
export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  // Two callers took the same name or number at the same moment, and the other one was first.
  if (isUniqueViolation(error)) return conflict('This already exists')
  // What it was about was there when the call began.
  if (isForeignKeyViolation(error)) return conflict('Somebody removed this meanwhile')
  return isOutage(error) ? databaseUnavailable(error) : undefined
}

type ErrorLog = Record<'warn' | 'error', (details: object, message: string) => void>

/** What a caller is told about an error: all of a refusal, nothing of a bug. */
export function toErrorBody(log: ErrorLog, error: unknown): ErrorBody & { retryAfter?: number | undefined } {
  const refusal = toRefusal(error)
  if (!refusal) {
    log.error({ error }, 'unexpected error')
    return { code: 'internal', message: 'Something went wrong' }
  }
  if (refusal !== error && refusal.code === 'unavailable') log.warn({ error }, 'database unavailable')
  return { code: refusal.code, message: refusal.message, retryAfter: refusal.retryAfter }
}

/** How long somebody has to wait, in words. Never less than it takes: whoever waits that long gets through. */
export function formatDuration(ms: number): string {
  if (ms <= minuteMs) return pluralize(ms / secondMs, 'second')
  return ms <= 90 * minuteMs ? pluralize(ms / minuteMs, 'minute') : pluralize(ms / hourMs, 'hour')
}

function pluralize(amount: number, unit: string): string {
  const whole = Math.max(1, Math.ceil(amount))
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`
}
