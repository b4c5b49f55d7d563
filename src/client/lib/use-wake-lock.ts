import { useEffect, useState } from 'react'

/** `refused`: wanted, and the browser does not give it now. */
export type WakeLockState = 'on' | 'off' | 'refused' | 'unavailable'

const isAvailable = (): boolean => 'wakeLock' in navigator

/**
 * Keeps the screen lit while wanted. The browser lets go whenever the page is hidden, and may refuse until
 * somebody touches the page or the battery is full again, so it is asked again at every occasion.
 */
export function useWakeLock(wanted: boolean): WakeLockState {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (!wanted || !isAvailable()) return undefined
    let lock: WakeLockSentinel | null = null
    let asking = false
    let over = false
    const lost = (): void => {
      lock = null
      setHeld(false)
    }
    const take = async (): Promise<void> => {
      if (document.hidden || lock || asking) return
      asking = true
      try {
        const taken = await navigator.wakeLock.request('screen')
        if (over) return await taken.release()
        lock = taken
        taken.addEventListener('release', lost)
        setHeld(true)
      } catch {
        lost()
      } finally {
        asking = false
      }
    }
    const again = (): void => void take()
    again()
    document.addEventListener('visibilitychange', again)
    window.addEventListener('pointerup', again)
    return () => {
      over = true
      document.removeEventListener('visibilitychange', again)
      window.removeEventListener('pointerup', again)
      lock?.release().catch(() => undefined)
      setHeld(false)
    }
  }, [wanted])
  if (!isAvailable()) return 'unavailable'
  if (held) return 'on'
  return wanted ? 'refused' : 'off'
}
