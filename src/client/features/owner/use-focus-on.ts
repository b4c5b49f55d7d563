import { type RefObject, useEffect, useRef } from 'react'

/** When what is shown (null: nothing yet) changes and takes the focused control with it, the focus goes on here. */
export function useFocusOn(shown: unknown): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const last = useRef(shown)
  useEffect(() => {
    const before = last.current
    last.current = shown
    if (before === null || before === shown) return
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true })
  }, [shown])
  return place
}
