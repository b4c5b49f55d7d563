import { useCallback, useEffect } from 'react'
import { useLocation } from 'wouter'
import { isSignedOut } from '../../api/http.ts'
import { useGoToLogin } from '../../ui/page/use-go-to-login.ts'
import { useErrorToast } from '../../ui/toast/toast.tsx'

/** Reports that the session has ended and goes to the sign-in, which returns here. */
export function useSignInRedirect(): () => void {
  const goToLogin = useGoToLogin()
  const [path] = useLocation()
  return useCallback(
    () =>
      goToLogin({
        login: `/api/login?returnTo=${encodeURIComponent(path)}`,
        message: 'You are logged out. Logging in again...',
        afterMs: 500,
      }),
    [goToLogin, path],
  )
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
export function useErrorToastOrSignIn(): (error: unknown, description: string, title?: string) => boolean {
  const showError = useErrorToast()
  const redirect = useSignInRedirect()
  return (error, description, title) => {
    const signedOut = isSignedOut(error)
    if (signedOut) redirect()
    else showError(description, title)
    return signedOut
  }
}
