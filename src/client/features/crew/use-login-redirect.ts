import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../../api/use-live.ts'
import { useTimeout } from '../../lib/use-timeout.ts'
import { useToast } from '../../ui/toast.tsx'

/** Who is not signed in is told so, and sent to the restaurant login. */
export function useLoginRedirect(authorized: boolean): void {
  const { toast } = useToast()
  const later = useTimeout()
  const [, navigate] = useLocation()
  const connection = useConnection()
  const refused = !authorized || connection.state === 'signed-out'
  useEffect(() => {
    if (!refused) return
    toast({
      title: 'Unauthorized',
      description: 'Please log in to access this page.',
      destructive: true,
    })
    later(1000, () => navigate('/restaurant-login'))
  }, [refused, toast, later, navigate])
}
