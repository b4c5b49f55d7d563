import { type JSX, type ReactNode, useEffect } from 'react'
import { useGoToLogin } from './use-go-to-login.ts'

type RedirectToLoginProps = { message: string; login: string; children: ReactNode }

/** What shows for a moment where a sign-in is needed. */
export function RedirectToLogin({ message, login, children }: RedirectToLoginProps): JSX.Element {
  const goToLogin = useGoToLogin()
  useEffect(() => goToLogin({ login, message }), [goToLogin, login, message])
  return <>{children}</>
}
