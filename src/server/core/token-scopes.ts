import { apiScopeOf } from '#contract/accounts/api-scopes.ts'
import type { ApiScope } from '#contract/accounts/api-tokens.ts'
import type { Operation } from '#contract/permissions.ts'

/**
 * Why software with these scopes may not do this; null if it may. What its scopes do not say it may not do, not even
 * what guests may.
 */
export function scopeProblem(scopes: ReadonlySet<ApiScope>, operation: Operation): string | null {
  const scope = apiScopeOf[operation]
  if (scope === undefined) return 'No token may do that'
  return scope === 'any' || scopes.has(scope) ? null : `This token does not have the scope ${scope}`
}

export const invalidTokenMessage = 'This token is not valid'
