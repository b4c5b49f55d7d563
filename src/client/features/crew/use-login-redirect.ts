import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../../api/live/use-live.ts'
import { removeLastKnown } from '../../lib/browser/browser-storage.ts'
import { useTimeout } from '../../lib/hooks/use-timeout.ts'
import { useToast } from '../../ui/toast/toast.tsx'
import { t } from '../../lib/texts/translate.ts'

/** Shows a toast and goes to the restaurant login when nobody is signed in. */
export function useLoginRedirect(authorized: boolean): void {
  const { toast } = useToast()
  const schedule = useTimeout()
  const [, navigate] = useLocation()
  const connection = useConnection()
  const signedOut = !authorized || connection.state === 'signed-out'
  useEffect(() => {
    if (!signedOut) return
    removeLastKnown()
    toast({
      title: t('Unauthorized'),
      description: t('Please log in to access this page.'),
      destructive: true,
    })
    schedule(1000, () => navigate('/restaurant-login'))
  }, [signedOut, toast, schedule, navigate])
}
