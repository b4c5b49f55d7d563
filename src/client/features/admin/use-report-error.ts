import { useCallback } from 'react'
import { api } from '#contract/api.ts'
import { ApiError, errorMessage, isSignedOut } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { useErrorToast } from '../../ui/toast/toast.tsx'

/** What may be out of date when somebody else changed it meanwhile. */
const sharedRoutes = [
  api.crew.list,
  api.floor.tables,
  api.floor.assignmentsByDate,
  api.tables.plan,
  api.weeklyPattern.state,
  api.apiTokens.list,
  api.tableButtons.list,
  api.outsideAlerts.settings,
]

/** What has a secret that is shown only once: without an answer, it may have been made all the same. */
const secretRoutes = [api.apiTokens.list, api.tableButtons.list, api.outsideAlerts.settings]

/** Somebody else has changed the same meanwhile. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === 'conflict'

/**
 * Shows why a change failed. Where the screen is or may be out of date, it is refreshed; after the end of the session the
 * page's guard leads to the login.
 */
export function useReportError(): (error: unknown, fallback: string) => void {
  const showError = useErrorToast()
  const { invalidate } = useApiCache()
  return useCallback(
    (error, fallback) => {
      const status = error instanceof ApiError ? error.status : 0
      if (status === 404 || status === 409) void invalidate(...sharedRoutes)
      if (status === 0 || status >= 500) void invalidate(...secretRoutes)
      if (isSignedOut(error)) void invalidate(api.accounts.currentUser)
      else showError(status === 0 ? fallback : errorMessage(error, fallback))
    },
    [showError, invalidate],
  )
}
