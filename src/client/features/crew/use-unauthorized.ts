import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../../api/use-live.ts'
import { useLater } from '../../lib/later.ts'
import { useToast } from '../../ui/toast.tsx'

/** Who is not signed in is told so, and sent to the restaurant login. */
export function useUnauthorized(authorized: boolean): void {
  const { toast } = useToast()
  const later = useLater()
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
