import { Stripe } from 'stripe'
import type { Log } from '../../../core/ports.ts'
import { Refusal } from '../../../core/errors.ts'

/** The types of the package describe this version only, and webhooks must be sent in the same one. */
export const apiVersion = '2026-10-28.endive'

export type StripeSettings = {
  secretKey: string
  publishableKey: string
  /** Several while a secret is being exchanged for a new one. */
  webhookSecrets: string[]
  /** Stripe itself, unless a test says otherwise. */
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

type StripeCalls = {
  /** Their refusals in our words, with theirs where they speak to the cardholder. */
  call: <T>(work: () => Promise<T>) => Promise<T>
  /** Nothing where they say that there is no such thing. */
  find: <T>(work: () => Promise<T>) => Promise<T | undefined>
}

export function createStripeCalls(log: Log): StripeCalls {
  async function call<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
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

  async function find<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call(work)
    } catch (error) {
      if (isResourceMissing(error)) return undefined
      throw error
    }
  }

  return { call, find }
}

type StripeOutage = InstanceType<typeof Stripe.errors.StripeError>

/** Not answered, too busy, or in the middle of the same request. */
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
