import { useCallback, useRef, useState } from 'react'

/** One piece of work at a time: what is asked while it runs is not done. */
export function useBusy(): [busy: boolean, run: (work: () => Promise<void>) => Promise<void>] {
  const [busy, setBusy] = useState(false)
  const running = useRef(false)
  const run = useCallback(async (work: () => Promise<void>) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    try {
      await work()
    } finally {
      running.current = false
      setBusy(false)
    }
  }, [])
  return [busy, run]
}
