import { useEffect } from 'react'
import { useStaffAccess } from '../../api/session.ts'
import { clearSessionStorage, getStored, setStored } from '../../lib/browser-storage.ts'

/** Keeps the restaurant that was signed in to; what was kept for another one goes. */
export function rememberRestaurant(name: string): void {
  if (getStored('restaurantId') !== name) clearSessionStorage()
  if (name !== '') setStored('restaurantId', name)
}

export type RestaurantSession = { state: 'unknown' } | { state: 'none' } | { state: 'known'; name: string }

/** The restaurant of this browser's sign-in; a new tab learns it here. */
export function useRestaurantSession(): RestaurantSession {
  const access = useStaffAccess()
  const name = access.state === 'signed-in' ? access.restaurantName : null
  useEffect(() => {
    if (name !== null) rememberRestaurant(name)
  }, [name])
  if (access.state === 'unknown') return { state: 'unknown' }
  const known = access.state === 'unreachable' ? getStored('restaurantId') : name
  return known === null ? { state: 'none' } : { state: 'known', name: known }
}
