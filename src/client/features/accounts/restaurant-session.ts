import { useEffect } from 'react'
import { useStaffAccess } from '../../api/session.ts'
import { clearTab, getStored, removeLastKnown, setStored } from '../../lib/browser/browser-storage.ts'

/** Stores the restaurant of this sign-in, and clears what was stored for another one. */
export function rememberRestaurant(name: string): void {
  if (getStored('restaurantId') !== name) {
    clearTab()
    if (findKeptRestaurant() !== name) removeLastKnown()
  }
  if (name !== '') setStored('restaurantId', name)
}

/** Whose list the crew page keeps on this device, maybe in another tab. */
function findKeptRestaurant(): string | null {
  try {
    const list: { restaurantId?: string } | null = JSON.parse(getStored('last-list') ?? 'null')
    return list?.restaurantId ?? null
  } catch {
    return null
  }
}

export type RestaurantSession = { state: 'unknown' } | { state: 'none' } | { state: 'known'; name: string }

/** The restaurant this browser is signed in to; also stores it in a new tab. */
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
