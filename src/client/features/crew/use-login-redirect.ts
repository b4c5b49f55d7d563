import { useEffect, useRef } from 'react'
import { useConnection } from '../../api/live/use-live.ts'
import { removeLastKnown } from '../../lib/browser/browser-storage.ts'
import { useGoToLogin } from '../../ui/page/use-go-to-login.ts'

/** Shows a toast and goes to the restaurant login when nobody is signed in. */
export function useLoginRedirect(authorized: boolean, ownLogin = false): void {
  const goToLogin = useGoToLogin()
  const connection = useConnection()
  const hadOwnLogin = useRef(false)
  const signedOut = !authorized || connection.state === 'signed-out'
  useEffect(() => {
    hadOwnLogin.current ||= ownLogin
  }, [ownLogin])
  useEffect(() => {
    if (!signedOut) return
    removeLastKnown()
    goToLogin({
      login: '/restaurant-login',
      message: 'Please log in to access this page.',
      // Whoever was signed in as themselves may have been removed from the crew, which is not an error.
      isExpected: hadOwnLogin.current,
    })
  }, [signedOut, goToLogin])
}
