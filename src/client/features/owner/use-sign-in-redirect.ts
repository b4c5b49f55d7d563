import { useCallback, useEffect } from 'react'
import { useLocation } from 'wouter'
import { isSignedOut } from '../../api/http.ts'
import { useTimeout } from '../../lib/hooks/use-timeout.ts'
import { useErrorToast } from '../../ui/toast/toast.tsx'

/** Reports that the session has ended and goes to the sign-in, which returns here, while Back goes to the page before. */
export function useSignInRedirect(): () => void {
  const showError = useErrorToast()
  const later = useTimeout()
  const [path, navigate] = useLocation()
  return useCallback(() => {
    showError('You are logged out. Logging in again...', 'Unauthorized')
    later(500, () => navigate(`/api/login?returnTo=${encodeURIComponent(path)}`, { replace: true }))
  }, [showError, later, navigate, path])
}

/** Redirects when a query failed because nobody is signed in; returns whether it did. */
export function useSignInRedirectOn(error: unknown): boolean {
  const redirect = useSignInRedirect()
  const signedOut = isSignedOut(error)
  useEffect(() => {
    if (signedOut) redirect()
  }, [signedOut, redirect])
  return signedOut
}

/** Shows what went wrong. After the end of the session it goes to the sign-in instead, and returns true. */
export function useReportError(): (error: unknown, description: string, title?: string) => boolean {
  const showError = useErrorToast()
  const redirect = useSignInRedirect()
  return (error, description, title) => {
    const signedOut = isSignedOut(error)
    if (signedOut) redirect()
    else showError(description, title)
    return signedOut
  }
}
