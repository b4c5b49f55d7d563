import { useLocation } from 'wouter'
import { clearSessionStorage } from '../lib/browser-storage.ts'

/** Signs out and goes to Restaurant Login. */
export function useSignOut(): () => void {
  const [, navigate] = useLocation()
  return () => {
    clearSessionStorage()
    navigate('/api/logout?returnTo=/restaurant-login')
  }
}
