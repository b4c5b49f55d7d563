import { setTimeout } from 'node:timers/promises'
import { DatabaseError } from 'pg'
import { backoffMs } from '#contract/backoff.ts'
import { isForeignKeyViolation } from '../errors.ts'

const maxAttempts = 5

/** feature_not_supported, which PostgreSQL also uses for "cached plan must not change result type". */
const featureNotSupported = '0A000'
/** With serialization_failure and deadlock_detected PostgreSQL rolled everything back and asks for another attempt. */
const retryableCodes = new Set(['40001', '40P01', featureNotSupported])

/** Retries a whole transaction if it failed for a transient reason. */
export async function runWithRetries<T>(
  transaction: () => Promise<T>,
  onRetry: () => void = () => {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === maxAttempts || !isRetryable(error)) throw error
      onRetry()
      await setTimeout(backoffMs(attempt - 1, retryDelay, spread))
    }
  }
}

function isRetryable(error: unknown): boolean {
  // A row that the transaction had read is gone: the next attempt finds that out and refuses in plain words.
  return (
    error instanceof DatabaseError && (retryableCodes.has(error.code ?? '') || isForeignKeyViolation(error))
  )
}

export const isStalePlan = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === featureNotSupported

const retryDelay = { firstMs: 20, growth: 2, maxMs: 160 }
let retryCount = 0

/** From 0 to 1: the golden ratio keeps those apart that come at the same time. */
export const spread = (): number => (++retryCount * 0.618_034) % 1
