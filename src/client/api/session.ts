import { hashKey, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { AdminUser, CurrentUser } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { ApiError, call } from './http.ts'
import { queryOrNull, invalidateRoutes, useApiQuery, useApiQueryOrNull } from './queries.ts'
import { requestRecentSignIn } from './recent-sign-in.ts'

export type Session =
  | { state: 'unknown' }
  | { state: 'signed-out' }
  | { state: 'signed-in'; user: CurrentUser }

/**
 * Whether an owner is signed in. When the first call fails, nobody is; a later failure signs nobody out, so that a
 * screen survives a moment without the server.
 */
export function useSession(): Session {
  const { data, isFetched } = useApiQueryOrNull(api.accounts.currentUser, {})
  if (!isFetched) return { state: 'unknown' }
  return data ? { state: 'signed-in', user: data } : { state: 'signed-out' }
}

/** For after a sign-in: cached data may belong to another restaurant, so all of it is dropped. */
export function useResetSession(): () => Promise<void> {
  const client = useQueryClient()
  return useCallback(async () => {
    const { queryKey } = queryOrNull(api.accounts.currentUser, {})
    const kept = hashKey(queryKey)
    client.removeQueries({ predicate: ({ queryHash }) => queryHash !== kept })
    await invalidateRoutes(client, [api.accounts.currentUser])
    // When the call fails, the owner it named before this sign-in must not stay.
    if (client.getQueryState(queryKey)?.status === 'error') client.setQueryData(queryKey, null)
  }, [client])
}

/** For links to files that need a recent sign-in: a link cannot ask for it itself. */
export async function ensureRecentSignIn(): Promise<boolean> {
  const { recent } = await call(api.accounts.identity)
  return recent || (await requestRecentSignIn())
}

type ManagementSession =
  | { state: 'unknown' }
  | { state: 'refused' }
  | { state: 'failed'; message: string; retry: () => unknown }
  | { state: 'signed-in'; user: AdminUser }

/** Whether this browser may see the management screens, as a manager or as the owner. */
export function useManagementSession(): ManagementSession {
  const { data, error, refetch } = useApiQuery(api.managers.currentUser, {})
  const refused = error instanceof ApiError && (error.status === 401 || error.status === 403)
  if (refused) return { state: 'refused' }
  if (data) return { state: 'signed-in', user: data }
  if (!error) return { state: 'unknown' }
  return { state: 'failed', message: error.message, retry: refetch }
}

type StaffAccess =
  | { state: 'unknown' }
  | { state: 'signed-out' }
  | { state: 'unreachable' }
  | { state: 'signed-in'; restaurantName: string }

/** The restaurant this browser is signed in to, by any kind of login. */
export function useStaffAccess(): StaffAccess {
  const { data, isPending, isError } = useApiQueryOrNull(api.accounts.session, {})
  if (isPending) return { state: 'unknown' }
  if (isError) return { state: 'unreachable' }
  if (!data || data.restaurantName === null) return { state: 'signed-out' }
  return { state: 'signed-in', restaurantName: data.restaurantName }
}
