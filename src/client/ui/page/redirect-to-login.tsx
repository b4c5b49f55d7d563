import { type JSX, type ReactNode, useEffect } from 'react'
import { useGoToLogin } from './use-go-to-login.ts'

type RedirectToLoginProps = { message: string; login: string; isExpected?: boolean; children: ReactNode }

/** What shows for a moment where a sign-in is needed. */
export function RedirectToLogin({
  message,
  login,
  isExpected = false,
  children,
}: RedirectToLoginProps): JSX.Element {
  const goToLogin = useGoToLogin()
  useEffect(() => goToLogin({ login, message, isExpected }), [goToLogin, login, message, isExpected])
  return <>{children}</>
}
