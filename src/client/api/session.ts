import { hashKey, type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { CurrentUser } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { catalogueSetOf } from '../lib/texts/language.ts'
import { call } from './http.ts'
import { callOrNull, queryOrNull, invalidateRoutes, useApiQueryOrNull } from './queries.ts'
import { requestRecentSignIn } from './recent-sign-in.ts'

export type Session =
  | { state: 'unknown' }
  | { state: 'signed-out' }
  | { state: 'signed-in'; user: CurrentUser }

/**
 * Whether an owner is signed in. When the first call fails, nobody is; a later failure signs nobody out, so that a
 * screen survives a moment without the server.
 */
export function useSession({ isAsked = true } = {}): Session {
  const client = useQueryClient()
  const { queryKey } = queryOrNull(api.accounts.currentUser, {})
  const { data, isFetched } = useQuery({
    queryKey,
    queryFn: isAsked ? ({ signal }) => findOwner(client, signal) : skipToken,
  })
  if (!isFetched) return { state: 'unknown' }
  return data ? { state: 'signed-in', user: data } : { state: 'signed-out' }
}

/** Pages that managers use. */
const managersPages = /^\/(management-(dashboard|login)|security)(\/|$)/iu

/**
 * Where mostly somebody else is signed in, a device or a manager, only who may be the owner is asked for one: a browser
 * logs the refusal as an error.
 */
async function findOwner(client: QueryClient, signal: AbortSignal): Promise<CurrentUser | null> {
  const isCrewScreen = catalogueSetOf(location.pathname) === 'staff'
  if (isCrewScreen || managersPages.test(location.pathname)) {
    const session = await client.fetchQuery(queryOrNull(api.accounts.session, {})).catch(() => undefined)
    if (session ? !session.grants.includes('owner') : session === null && isCrewScreen) return null
  }
  return await callOrNull(api.accounts.currentUser, {}, signal)
}

/** What the page says about who opened it, so that no screen needs to ask: a browser logs a refusal as an error. */
export function rememberSession(client: QueryClient, session: string | undefined): void {
  if (session) client.setQueryData(queryOrNull(api.accounts.currentUser, {}).queryKey, null)
  if (session === 'none') client.setQueryData(queryOrNull(api.accounts.session, {}).queryKey, null)
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

/** For when the server has ended it: the next screen that needs it asks. */
export function useForgetSession(): () => void {
  const client = useQueryClient()
  return useCallback(
    () => client.removeQueries({ queryKey: queryOrNull(api.accounts.session, {}).queryKey }),
    [client],
  )
}

/** For links to files that need a recent sign-in: a link cannot ask for it itself. */
export async function ensureRecentSignIn(): Promise<boolean> {
  const { recent } = await call(api.accounts.identity)
  return recent || (await requestRecentSignIn())
}

/** When the restaurant of this browser is erased, if its owner has deleted it. */
export function useErasure(): number | null {
  const { data } = useApiQueryOrNull(api.accounts.session, {})
  return data?.eraseAt ?? null
}

/** Whether an owner or a manager is signed in to this browser. */
export function useOpensPortals(): boolean {
  const { data } = useApiQueryOrNull(api.accounts.session, {})
  return Boolean(data && (data.manager ?? data.grants.includes('owner')))
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
