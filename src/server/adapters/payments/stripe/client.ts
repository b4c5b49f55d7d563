import { Stripe } from 'stripe'
import { Refusal } from '../../../core/errors.ts'
import type { Log } from '../../../ports/monitoring.ts'

/** The package's types describe this version only, and webhooks must use the same one. */
export const apiVersion = '2026-10-28.endive'

export type StripeSettings = {
  secretKey: string
  publishableKey: string
  /** More than one while a secret is being replaced. */
  webhookSecrets: string[]
  /** Replaces Stripe's address in tests. */
  api?: { host: string; port: number; protocol: 'http' }
}

export const isLiveKey = (secretKey: string): boolean => /^(sk|rk)_live_/u.test(secretKey)

export function createStripeClient({ secretKey, api }: Pick<StripeSettings, 'secretKey' | 'api'>): Stripe {
  return new Stripe(secretKey, {
    apiVersion,
    maxNetworkRetries: 2,
    timeout: 10_000,
    telemetry: false,
    ...api,
  })
}

export const providerUnavailable = (
  message = 'The payment service does not answer. Please try again in a moment.',
) => new Refusal('unavailable', message, { retryAfter: 5 })

export type StripeCalls = {
  /** Turns Stripe's errors into refusals, with Stripe's message if it is meant for the cardholder. */
  call: <T>(request: () => Promise<T>) => Promise<T>
  /** Returns undefined if there is no such object. */
  find: <T>(request: () => Promise<T>) => Promise<T | undefined>
}

export function createStripeCalls(log: Log): StripeCalls {
  async function call<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request()
    } catch (error) {
      if (error instanceof Stripe.errors.StripeCardError) throw new Refusal('payment_required', error.message)
      if (
        error instanceof Stripe.errors.StripeAuthenticationError ||
        error instanceof Stripe.errors.StripePermissionError
      ) {
        log.error({ code: error.code, requestId: error.requestId }, 'Stripe does not accept the secret key')
        throw providerUnavailable()
      }
      if (isStripeOutage(error)) {
        const { type, code, requestId } = error
        log.warn({ type, code, requestId }, 'Stripe could not answer')
        throw providerUnavailable()
      }
      throw error
    }
  }

  async function find<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call(request)
    } catch (error) {
      if (isResourceMissing(error)) return undefined
      throw error
    }
  }

  return { call, find }
}

type StripeOutage = InstanceType<typeof Stripe.errors.StripeError>

/** No answer, too busy, or still working on the same request. */
function isStripeOutage(error: unknown): error is StripeOutage {
  return (
    error instanceof Stripe.errors.StripeConnectionError ||
    error instanceof Stripe.errors.StripeAPIError ||
    error instanceof Stripe.errors.StripeRateLimitError ||
    error instanceof Stripe.errors.StripeIdempotencyError
  )
}

export const isResourceMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'
