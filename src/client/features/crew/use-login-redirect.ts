import { useEffect, useRef } from 'react'
import { useConnection } from '../../api/live/use-live.ts'
import { removeLastKnown } from '../../lib/browser/browser-storage.ts'
import { restaurantDeletedText, useGoToLogin } from '../../ui/page/use-go-to-login.ts'

/** Shows a toast and goes to the restaurant login when nobody is signed in. */
export function useLoginRedirect(authorized: boolean, ownLogin = false): void {
  const goToLogin = useGoToLogin()
  const connection = useConnection()
  const hadOwnLogin = useRef(false)
  const signedOut = !authorized || connection.state === 'signed-out'
  const isDeleted = connection.state === 'signed-out' && connection.isDeleted
  useEffect(() => {
    hadOwnLogin.current ||= ownLogin
  }, [ownLogin])
  useEffect(() => {
    if (!signedOut) return
    removeLastKnown()
    goToLogin({
      login: '/restaurant-login',
      message: isDeleted ? restaurantDeletedText : 'Please log in to access this page.',
      // Whoever was signed in as themselves may have been removed from the crew, which is not an error.
      isExpected: isDeleted || hadOwnLogin.current,
    })
  }, [signedOut, isDeleted, goToLogin])
}
