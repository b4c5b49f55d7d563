import { useQuery, type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import { api } from '#contract/api.ts'
import type { QrCode } from '#contract/floor/qr.ts'
import { ApiError, call } from './http.ts'
import { queryFor } from './queries.ts'

/**
 * The restaurant's code; null if it has none, which another answer says already: a browser logs the refusal as an error.
 * Refetched by every screen that opens.
 */
export function useQrCode(): UseQueryResult<QrCode | null> {
  const client = useQueryClient()
  const { queryKey } = queryFor(api.qr.mine, {})
  return useQuery({
    queryKey: [...queryKey, 'or null'],
    gcTime: 0,
    refetchOnMount: 'always',
    queryFn: async ({ signal }) => {
      const { hasQrCode } = await client.fetchQuery({
        ...queryFor(api.managers.currentUser, {}),
        staleTime: 0,
      })
      return hasQrCode === false ? null : await call(api.qr.mine, {}, { signal }).catch(nullIfDeleted)
    },
  })
}

function nullIfDeleted(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}
