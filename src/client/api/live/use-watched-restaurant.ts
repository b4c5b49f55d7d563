import { useEffect } from 'react'
import { useLive } from './use-live.ts'

/** Hears of a restaurant's requests without counting as a screen that listens: nobody serves guests from here. */
export function useWatchedRestaurant(restaurantName: string): void {
  const live = useLive()
  useEffect(() => {
    live.setContext({ type: 'listening', sound: false, push: false, visible: false })
    return () => live.clearContext('listening')
  }, [live])
  // Its answer tells the owner's choice of sounds.
  useEffect(() => {
    live.setContext({ type: 'set-restaurant-context', restaurantId: restaurantName })
    return () => live.clearContext('set-restaurant-context')
  }, [live, restaurantName])
}
