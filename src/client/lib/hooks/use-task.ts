import { useCallback, useRef, useState } from 'react'

/** Undefined when another task was running. */
type Run = <T>(task: () => Promise<T>) => Promise<T | undefined>

/** Runs one task at a time: a call while another one runs does nothing. */
export function useTask(): [busy: boolean, run: Run] {
  const [busy, setBusy] = useState(false)
  const running = useRef(false)
  const run = useCallback<Run>(async (task) => {
    if (running.current) return undefined
    running.current = true
    setBusy(true)
    try {
      return await task()
    } finally {
      running.current = false
      setBusy(false)
    }
  }, [])
  return [busy, run]
}
