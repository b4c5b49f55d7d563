import { type RefObject, useLayoutEffect, useState } from 'react'

/**
 * What `measure` says of an element, again whenever its size changes. It is measured before it is painted; with an
 * `initial` value only after its first layout, which saves the page a layout of its own.
 */
export function useMeasured(
  ref: RefObject<HTMLElement | null>,
  measure: (element: HTMLElement) => number,
  initial?: number,
): number {
  const [value, setValue] = useState(initial ?? 0)
  const waits = initial !== undefined
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return undefined
    const update = (): void => setValue(measure(element))
    const canObserve = typeof ResizeObserver !== 'undefined'
    if (!waits || !canObserve) update()
    if (!canObserve) return undefined
    const observer = new ResizeObserver(update)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref, measure, waits])
  return value
}

export const innerWidth = ({ clientWidth }: HTMLElement): number => clientWidth
export const innerHeight = ({ clientHeight }: HTMLElement): number => clientHeight
