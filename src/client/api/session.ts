import { hashKey, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { AdminUser, CurrentUser } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { ApiError } from './http.ts'
import { queryOrNullOf, refresh, useRead, useReadOrNull } from './queries.ts'

export type Session =
  | { state: 'unknown' }
  | { state: 'signed-out' }
  | { state: 'signed-in'; user: CurrentUser }

/** Whether an owner is signed in. A failure of the call, whichever, means that nobody is. */
export function useSession(): Session {
  const { data, isError, isFetched } = useReadOrNull(api.accounts.currentUser, {})
  if (!isFetched) return { state: 'unknown' }
  return data && !isError ? { state: 'signed-in', user: data } : { state: 'signed-out' }
}

/** After any sign-in: what was read before may be another restaurant's, so all of it is forgotten. */
export function useRenewSession(): () => Promise<void> {
  const client = useQueryClient()
  return useCallback(async () => {
    const kept = hashKey(queryOrNullOf(api.accounts.currentUser, {}).queryKey)
    client.removeQueries({ predicate: ({ queryHash }) => queryHash !== kept })
    await refresh(client, [api.accounts.currentUser])
  }, [client])
}

export type ManagementSession =
  | { state: 'unknown' }
  | { state: 'refused' }
  | { state: 'failed'; message: string }
  | { state: 'signed-in'; user: AdminUser }

/** Whether the browser may see the management screens, as a manager or as the owner. */
export function useManagementSession(): ManagementSession {
  const { data, error } = useRead(api.managers.currentUser, {})
  if (data) return { state: 'signed-in', user: data }
  if (!error) return { state: 'unknown' }
  const refused = error instanceof ApiError && (error.status === 401 || error.status === 403)
  return refused ? { state: 'refused' } : { state: 'failed', message: error.message }
}

/** Whether the browser has any sign-in to this restaurant. When the server cannot be asked it counts as one. */
export function useStaffAccess(restaurantId: string): 'unknown' | 'yes' | 'no' {
  const { data, error, isPending } = useReadOrNull(api.crew.byRestaurant, { query: { restaurantId } })
  if (isPending) return 'unknown'
  const elsewhere = error instanceof ApiError && error.status === 404
  return data === null || elsewhere ? 'no' : 'yes'
}
