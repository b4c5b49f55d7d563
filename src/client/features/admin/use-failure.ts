import { useCallback } from 'react'
import { api } from '#contract/api.ts'
import { ApiError } from '../../api/http.ts'
import { useReads } from '../../api/queries.ts'
import { useToast } from '../../ui/toast.tsx'

/** What a screen may show that somebody else has changed meanwhile. */
const shared = [api.crew.list, api.floor.tables, api.floor.assignmentsByDate]

/**
 * Says what went wrong: the server's own words where it refused, else `otherwise`. Where the screen was behind,
 * it is brought up to date; whose session is over is sent to the login by the page's guard.
 */
export function useFailure(): (problem: unknown, otherwise: string) => void {
  const { toast } = useToast()
  const { refresh } = useReads()
  return useCallback(
    (problem, otherwise) => {
      const status = problem instanceof ApiError ? problem.status : 0
      if (status === 404 || status === 409) void refresh(...shared)
      if (status === 401) void refresh(api.accounts.currentUser)
      else toast({ title: 'Error', description: saidBy(problem, otherwise), destructive: true })
    },
    [toast, refresh],
  )
}

function saidBy(problem: unknown, otherwise: string): string {
  const refused = problem instanceof ApiError && problem.status >= 400 && problem.status < 500
  return refused && problem.code !== 'internal' ? problem.message : otherwise
}
