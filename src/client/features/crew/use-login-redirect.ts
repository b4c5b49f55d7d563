import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../../api/live/use-live.ts'
import { removeLastKnown } from '../../lib/browser/browser-storage.ts'
import { useTimeout } from '../../lib/hooks/use-timeout.ts'
import { useToast } from '../../ui/toast/toast.tsx'
import { t } from '../../lib/texts/translate.ts'

/** Shows a toast and goes to the restaurant login when nobody is signed in. */
export function useLoginRedirect(authorized: boolean, ownLogin = false): void {
  const { toast } = useToast()
  const schedule = useTimeout()
  const [, navigate] = useLocation()
  const connection = useConnection()
  const hadOwnLogin = useRef(false)
  const signedOut = !authorized || connection.state === 'signed-out'
  useEffect(() => {
    hadOwnLogin.current ||= ownLogin
  }, [ownLogin])
  useEffect(() => {
    if (!signedOut) return
    removeLastKnown()
    // Whoever was signed in as themselves may have been removed from the crew: that is no error.
    const isEnd = hadOwnLogin.current
    toast({
      title: t(isEnd ? 'Signed out' : 'Unauthorized'),
      description: t('Please log in to access this page.'),
      destructive: !isEnd,
    })
    schedule(1000, () => navigate('/restaurant-login'))
  }, [signedOut, toast, schedule, navigate])
}
