import { ApiError } from '../../../api/http.ts'

/** It may have been done or not, also where a proxy answered; trying again is safe. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** Nothing was tried: the owner was asked who they are, and did not say. */
export const isNotConfirmed = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'recent_sign_in_required'
