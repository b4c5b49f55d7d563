import type { AdminUser } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { isAccessRefused } from './http.ts'
import { useApiQuery } from './queries.ts'

type ManagementSession =
  | { state: 'unknown' }
  | { state: 'refused' }
  | { state: 'failed'; message: string; retry: () => unknown }
  | { state: 'signed-in'; user: AdminUser }

/** Whether this browser may see the management screens, as a manager or as the owner. */
export function useManagementSession(): ManagementSession {
  const { data, error, refetch } = useApiQuery(api.managers.currentUser, {})
  if (isAccessRefused(error)) return { state: 'refused' }
  if (data) return { state: 'signed-in', user: data }
  if (!error) return { state: 'unknown' }
  return { state: 'failed', message: error.message, retry: refetch }
}
