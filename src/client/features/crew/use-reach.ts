import { type RefObject, useEffect, useState } from 'react'

/** As many as most screens show. The next ones come when these are painted. */
const first = 6
const step = 12

/**
 * How many tickets of the tab are drawn. It grows when the end of the list is less than a screen away: with
 * hundreds waiting, no tap pays for those that nobody looks at.
 */
export function useReach(tab: string, count: number, end: RefObject<HTMLElement | null>): number {
  const [grown, setGrown] = useState({ tab, reach: first })
  const reach = grown.tab === tab ? grown.reach : first
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
