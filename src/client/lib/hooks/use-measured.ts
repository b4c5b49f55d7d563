import { type RefObject, useLayoutEffect, useState } from 'react'

/** What `measure` says of an element, again whenever its size changes; 0 at first. */
export function useMeasured(
  ref: RefObject<HTMLElement | null>,
  measure: (element: HTMLElement) => number,
): number {
  const [value, setValue] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element || typeof ResizeObserver === 'undefined') return undefined
    const update = (): void => setValue(measure(element))
    update()
    const observer = new ResizeObserver(update)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref, measure])
  return value
}

export const innerWidth = ({ clientWidth }: HTMLElement): number => clientWidth
export const innerHeight = ({ clientHeight }: HTMLElement): number => clientHeight
