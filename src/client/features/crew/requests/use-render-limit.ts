import { type RefObject, useEffect, useState } from 'react'

/** In CSS pixels: of a ticket on two lines with the space after it, and of what stands above the first one. */
const ticketHeight = 200
const headerHeight = 200
const batchSize = 8

/** As many as most screens of this height show. The next ones come when these are painted. */
const initialLimit = (): number => Math.max(3, Math.ceil((window.innerHeight - headerHeight) / ticketHeight))

/**
 * How many tickets of the tab are drawn. It grows when the end of the list is less than a screen away: with
 * hundreds waiting, no tap pays for those that nobody looks at.
 */
export function useRenderLimit(tab: string, count: number, end: RefObject<HTMLElement | null>): number {
  const [atFirst] = useState(initialLimit)
  const [grown, setGrown] = useState({ tab, reach: atFirst })
  const reach = grown.tab === tab ? grown.reach : atFirst
  const hasMore = count > reach
  useEffect(() => {
    if (!hasMore || !end.current) return undefined
    const grow = (): void => setGrown({ tab, reach: reach + batchSize })
    if (typeof IntersectionObserver === 'undefined') return grow()
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && grow(), {
      rootMargin: '100%',
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [tab, reach, hasMore, end])
  return reach
}
