import { type RefObject, useEffect, useRef } from 'react'

/** Moves the focus to the returned ref when a change of `shown` removes the focused control. Null: nothing is shown. */
export function useFocusOnChange(shown: unknown): RefObject<HTMLDivElement | null> {
  const container = useRef<HTMLDivElement>(null)
  const previous = useRef(shown)
  useEffect(() => {
    const before = previous.current
    if (shown === null || shown === before) return
    previous.current = shown
    if (before === null) return
    if (document.activeElement === document.body) container.current?.focus({ preventScroll: true })
  }, [shown])
  return container
}
