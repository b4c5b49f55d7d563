import { useCallback, useEffect } from 'react'
import { useLocation } from 'wouter'
import { ApiError } from '../../api/http.ts'
import { useLater } from '../../lib/later.ts'
import { useToast } from '../../ui/toast.tsx'

/** Says that nobody is signed in any more, and goes to the sign-in, which comes back here. */
export function useLoggedOut(): () => void {
  const { toast } = useToast()
  const later = useLater()
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
export function useLoggedOutBy(problem: unknown): boolean {
  const loggedOut = useLoggedOut()
  const out = isLoggedOut(problem)
  useEffect(() => {
    if (out) loggedOut()
  }, [out, loggedOut])
  return out
}

export const isLoggedOut = (problem: unknown): boolean =>
  problem instanceof ApiError && problem.status === 401
