import { useEffect } from 'react'
import { useLive } from '../../api/use-live.ts'

/** What the server must know of this screen, and again after every reconnection. */
export function useLiveContexts(
  restaurantId: string | null,
  { sound, push }: { sound: boolean; push: boolean },
): void {
  const live = useLive()
  useEffect(() => {
    if (restaurantId === null) return undefined
    live.setContext({ type: 'set-restaurant-context', restaurantId })
    return () => live.clearContext('set-restaurant-context')
  }, [live, restaurantId])

  useEffect(() => {
    const tell = (): void => live.setContext({ type: 'listening', sound, push, visible: !document.hidden })
    tell()
    document.addEventListener('visibilitychange', tell)
    return () => {
      document.removeEventListener('visibilitychange', tell)
      live.clearContext('listening')
    }
  }, [live, sound, push])
}
