import { useEffect, useState } from 'react'

/** `refused`: wanted, but the browser does not grant it now. */
export type WakeLockState = 'on' | 'off' | 'refused' | 'unavailable'

const isAvailable = (): boolean => 'wakeLock' in navigator

/**
 * Keeps the screen on while wanted. The browser releases the lock whenever the page is hidden, and may refuse it until
 * the page is touched or the battery is charged, so it is requested again at every occasion.
 */
export function useWakeLock(wanted: boolean): WakeLockState {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (!wanted || !isAvailable()) return undefined
    let lock: WakeLockSentinel | null = null
    let requesting = false
    let stopped = false
    const handleRelease = (): void => {
      lock = null
      setHeld(false)
    }
    const acquire = async (): Promise<void> => {
      if (document.hidden || lock || requesting) return
      requesting = true
      try {
        const acquired = await navigator.wakeLock.request('screen')
        if (stopped) return await acquired.release()
        lock = acquired
        acquired.addEventListener('release', handleRelease)
        setHeld(true)
      } catch {
        handleRelease()
      } finally {
        requesting = false
      }
    }
    const retry = (): void => void acquire()
    retry()
    document.addEventListener('visibilitychange', retry)
    window.addEventListener('pointerup', retry)
    return () => {
      stopped = true
      document.removeEventListener('visibilitychange', retry)
      window.removeEventListener('pointerup', retry)
      lock?.release().catch(() => undefined)
      setHeld(false)
    }
  }, [wanted])
  if (!isAvailable()) return 'unavailable'
  if (held) return 'on'
  return wanted ? 'refused' : 'off'
}
