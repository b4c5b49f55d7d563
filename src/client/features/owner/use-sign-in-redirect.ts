import { useCallback, useEffect } from 'react'
import { useLocation } from 'wouter'
import { ApiError } from '../../api/http.ts'
import { useTimeout } from '../../lib/use-timeout.ts'
import { useToast } from '../../ui/toast.tsx'

/** Says that nobody is signed in any more, and goes to the sign-in, which comes back here. */
export function useSignInRedirect(): () => void {
  const { toast } = useToast()
  const later = useTimeout()
  const [path, navigate] = useLocation()
  return useCallback(() => {
    toast({
      title: 'Unauthorized',
      description: 'You are logged out. Logging in again...',
      destructive: true,
    })
    later(500, () => navigate(`/api/login?returnTo=${encodeURIComponent(path)}`))
  }, [toast, later, navigate, path])
}

/** The same for whoever was signed out unawares and learns it by a read. */
export function useSignInRedirectOn(problem: unknown): boolean {
  const loggedOut = useSignInRedirect()
  const out = isUnauthenticated(problem)
  useEffect(() => {
    if (out) loggedOut()
  }, [out, loggedOut])
  return out
}

export const isUnauthenticated = (problem: unknown): boolean =>
  problem instanceof ApiError && problem.status === 401
