import { hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import type { RefusalBody, ErrorCode } from '#contract/errors.ts'
import { isForeignKeyViolation, isOutage, isUniqueViolation } from '../storage/engine/errors.ts'

type RefusalOptions = ErrorOptions & {
  retryAfter?: number | undefined
  params?: RefusalBody['params']
  /** What the caller can choose from. */
  restaurants?: readonly string[]
}

/** A refusal for the caller to read. Any other error is a bug, and its message is kept from the caller. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  /** When to try again, in seconds. */
  readonly retryAfter: number | undefined
  readonly params: RefusalBody['params']
  readonly restaurants: readonly string[] | undefined

  constructor(code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message, options)
    this.code = code
    this.retryAfter = options.retryAfter
    this.params = options.params
    this.restaurants = options.restaurants
  }
}

export const invalid = (message: string) => new Refusal('invalid', message)
export const notFound = (what: string) => new Refusal('not_found', `${what} not found`)
export const alreadyRestored = () => new Refusal('already_restored', 'This has been restored already')
export const conflict = (message: string) => new Refusal('conflict', message)
export const forbidden = (message = 'You may not do that') => new Refusal('forbidden', message)
export const recentSignInRequired = () =>
  new Refusal('recent_sign_in_required', 'Please confirm that it is you to do that')
export const unauthenticated = (message = 'Unauthorized') => new Refusal('unauthenticated', message)
export const invalidCredentials = () => unauthenticated('Invalid credentials')
/** Only for whoever has proved that they belong to it. To all others there is no such restaurant. */
export const restaurantDeleted = () =>
  forbidden('The owner has deleted this restaurant. Only the owner can still sign in.')

/** The database cannot be reached or does not accept writes. */
export function databaseUnavailable(cause: unknown): Refusal {
  const message = 'The server cannot reach its data right now. Please try again in a moment.'
  return new Refusal('unavailable', message, { cause, retryAfter: 5 })
}

/** The refusal that a database error means to the caller; undefined when the error is a bug. */
export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  // Another caller took the same name or number at the same moment.
  if (isUniqueViolation(error)) return conflict('This already exists')
  // The row existed when the operation began.
  if (isForeignKeyViolation(error)) return conflict('Somebody removed this meanwhile')
  return isOutage(error) ? databaseUnavailable(error) : undefined
}

type ErrorLog = Record<'warn' | 'error', (details: object, message: string) => void>

/** The response to an error: refusals in full, bugs without any detail. */
export function toErrorBody(
  log: ErrorLog,
  error: unknown,
): RefusalBody & Pick<RefusalOptions, 'retryAfter' | 'restaurants'> {
  const refusal = toRefusal(error)
  if (!refusal) {
    log.error({ error }, 'unexpected error')
    return { code: 'internal', message: 'Something went wrong' }
  }
  if (refusal !== error && refusal.code === 'unavailable') log.warn({ error }, 'database unavailable')
  const { code, message, params, restaurants, retryAfter } = refusal
  return { code, message, ...(params && { params }), ...(restaurants && { restaurants }), retryAfter }
}

/** A waiting time in words, rounded up. */
export function formatDuration(ms: number): string {
  if (ms <= minuteMs) return pluralize(ms / secondMs, 'second')
  return ms <= 90 * minuteMs ? pluralize(ms / minuteMs, 'minute') : pluralize(ms / hourMs, 'hour')
}

function pluralize(amount: number, unit: string): string {
  const whole = Math.max(1, Math.ceil(amount))
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`
}
