import { useEffect } from 'react'
import { useLive } from '../../api/live/use-live.ts'

/** What the server must know about this screen. */
export function useLiveContexts(
  restaurantId: string | null,
  { sound, push }: { sound: boolean; push: boolean },
): void {
  const live = useLive()
  useEffect(() => {
    const send = (): void => live.setContext({ type: 'listening', sound, push, visible: !document.hidden })
    send()
    document.addEventListener('visibilitychange', send)
    return () => {
      document.removeEventListener('visibilitychange', send)
      live.clearContext('listening')
    }
  }, [live, sound, push])

  useEffect(() => {
    if (restaurantId === null) return undefined
    live.setContext({ type: 'set-restaurant-context', restaurantId })
    return () => live.clearContext('set-restaurant-context')
  }, [live, restaurantId])
}
