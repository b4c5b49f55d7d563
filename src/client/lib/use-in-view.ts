import { type RefObject, useEffect, useState } from 'react'

/** Whether somebody can see the element: on a visible page, and not on a hidden part of it. */
export function useInView(element: RefObject<HTMLElement | null>): boolean {
  const [onScreen, setOnScreen] = useState(typeof IntersectionObserver === 'undefined')
  const [visible, setVisible] = useState(() => !document.hidden)
  useEffect(() => {
    const look = (): void => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  useEffect(() => {
    if (!element.current || typeof IntersectionObserver === 'undefined') return undefined
    const observer = new IntersectionObserver(([entry]) => setOnScreen(entry?.isIntersecting ?? false))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return onScreen && visible
}
