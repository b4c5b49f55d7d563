import { useCallback, useEffect, useRef } from 'react'

/** Does the work after a while, unless the screen is gone by then; the newest work replaces one that waits. */
export function useTimeout(): (ms: number, work: () => void) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback((ms, work) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(work, ms)
  }, [])
}
