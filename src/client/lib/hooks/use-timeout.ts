import { useCallback, useEffect, useRef } from 'react'

/** Runs the task later unless the component is unmounted by then; a new task replaces a waiting one. */
export function useTimeout(): (ms: number, task: () => void) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback((ms, task) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(task, ms)
  }, [])
}
