import { useCallback, useRef, useState } from 'react'

type Run = (task: () => Promise<void>) => Promise<void>

/** Runs one task at a time: a call while another one runs does nothing. */
export function useTask(): [busy: boolean, run: Run] {
  const [busy, setBusy] = useState(false)
  const running = useRef(false)
  const run = useCallback<Run>(async (task) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    try {
      await task()
    } finally {
      running.current = false
      setBusy(false)
    }
  }, [])
  return [busy, run]
}
