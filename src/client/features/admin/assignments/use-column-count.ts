import { type RefObject, useLayoutEffect, useState } from 'react'

/** How many columns of at least `least` pixels fit, with `gap` between them. */
export function useColumnCount(ref: RefObject<HTMLElement | null>, least: number, gap: number): number {
  const [columns, setColumns] = useState(1)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = (): void =>
      setColumns(Math.max(1, Math.floor((element.clientWidth + gap) / (least + gap))))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref, least, gap])
  return columns
}
