import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../../api/use-live.ts'
import { useTimeout } from '../../lib/use-timeout.ts'
import { useToast } from '../../ui/toast.tsx'

/** Shows a toast and goes to the restaurant login when nobody is signed in. */
export function useLoginRedirect(authorized: boolean): void {
  const { toast } = useToast()
  const schedule = useTimeout()
  const [, navigate] = useLocation()
  const connection = useConnection()
  const signedOut = !authorized || connection.state === 'signed-out'
  useEffect(() => {
    if (!signedOut) return
    toast({
      title: 'Unauthorized',
      description: 'Please log in to access this page.',
      destructive: true,
    })
    schedule(1000, () => navigate('/restaurant-login'))
  }, [signedOut, toast, schedule, navigate])
}
