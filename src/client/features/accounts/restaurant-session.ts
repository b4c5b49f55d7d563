import { useSession } from '../../api/session.ts'
import { forgetSession, recall, remember } from '../../lib/browser-storage.ts'

/** Keeps the restaurant that was signed in to; what was kept for another one goes. */
export function rememberRestaurant(name: string): void {
  if (recall('restaurantId') !== name) forgetSession()
  if (name !== '') remember('restaurantId', name)
}

/** The restaurant of this tab, else the signed-in owner's. */
export function useRestaurantName(): string | null {
  const session = useSession()
  return recall('restaurantId') ?? (session.state === 'signed-in' ? session.user.restaurantName : null)
}
