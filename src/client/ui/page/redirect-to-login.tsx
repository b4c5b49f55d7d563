import { type JSX, type ReactNode, useEffect } from 'react'
import { useLocation } from 'wouter'
import { useTimeout } from '../../lib/hooks/use-timeout.ts'
import { useErrorToast } from '../toast/toast.tsx'

type RedirectToLoginProps = { message: string; login: string; children: ReactNode }

/** Shows that a sign-in is needed, and goes to the login a moment later. */
export function RedirectToLogin({ message, login, children }: RedirectToLoginProps): JSX.Element {
  const showError = useErrorToast()
  const later = useTimeout()
  const [, navigate] = useLocation()
  useEffect(() => {
    showError(message, 'Unauthorized')
    later(1000, () => navigate(login, { replace: true }))
  }, [message, login, showError, later, navigate])
  return <>{children}</>
}
