import { type RefObject, useEffect, useRef } from 'react'

/** When what is shown (null: nothing for now) changes and takes the focused control with it, the focus goes on here. */
export function useFocusOnChange(shown: unknown): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const last = useRef(shown)
  useEffect(() => {
    const before = last.current
    if (shown === null || shown === before) return
    last.current = shown
    if (before === null) return
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true })
  }, [shown])
  return place
}
