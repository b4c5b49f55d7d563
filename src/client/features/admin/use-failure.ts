import { useCallback } from 'react'
import { api } from '#contract/api.ts'
import { ApiError } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { useToast } from '../../ui/toast.tsx'

/** What a screen may show that somebody else has changed meanwhile. */
const sharedRoutes = [api.crew.list, api.floor.tables, api.floor.assignmentsByDate]

/**
 * Says what went wrong: the server's own words where it refused, else `otherwise`. Where the screen was behind,
 * it is brought up to date; whose session is over is sent to the login by the page's guard.
 */
export function useErrorToast(): (problem: unknown, fallback: string) => void {
  const { toast } = useToast()
  const { invalidate: refresh } = useApiCache()
  return useCallback(
    (problem, fallback) => {
      const status = problem instanceof ApiError ? problem.status : 0
      if (status === 404 || status === 409) void refresh(...sharedRoutes)
      if (status === 401) void refresh(api.accounts.currentUser)
      else toast({ title: 'Error', description: refusalMessage(problem, fallback), destructive: true })
    },
    [toast, refresh],
  )
}

function refusalMessage(problem: unknown, fallback: string): string {
  const refused = problem instanceof ApiError && problem.status >= 400 && problem.status < 500
  return refused && problem.code !== 'internal' ? problem.message : fallback
}
