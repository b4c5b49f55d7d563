import { type RefObject, useEffect, useState } from 'react'

/** More than a phone shows; a larger screen asks for more at once. */
const step = 12

/**
 * How many tickets of the tab are drawn. It grows when the end of the list is less than a screen away: with
 * hundreds waiting, no tap pays for those that nobody looks at.
 */
export function useReach(tab: string, count: number, end: RefObject<HTMLElement | null>): number {
  const [grown, setGrown] = useState({ tab, reach: step })
  const reach = grown.tab === tab ? grown.reach : step
  const hasMore = count > reach
  useEffect(() => {
    if (!hasMore || !end.current) return undefined
    const grow = (): void => setGrown({ tab, reach: reach + step })
    if (typeof IntersectionObserver === 'undefined') return grow()
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && grow(), {
      rootMargin: '100%',
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [tab, reach, hasMore, end])
  return reach
}
