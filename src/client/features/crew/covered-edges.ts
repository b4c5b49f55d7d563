import { coverListeners, covers } from './covers.ts'

/** How far what sticks to the window covers the page, from the window's edges, in pixels. */
type CoveredEdges = { top: number; bottom: number }

/** What covers `element`, which may itself be a part of one. The keyboard of a phone covers the lower edge, too. */
export function coveredEdgesOf(element: Element): CoveredEdges {
  const { visualViewport } = window
  const edges = { top: visualViewport?.offsetTop ?? 0, bottom: 0 }
  if (visualViewport) edges.bottom = Math.max(0, innerHeight - edges.top - visualViewport.height)
  for (const [cover, side] of covers) {
    const style = getComputedStyle(cover)
    if (style.position !== 'sticky' || cover.contains(element)) continue
    edges[side] = Math.max(edges[side], Number.parseFloat(style[side]) + cover.offsetHeight)
  }
  return edges
}

/** Also tells of each cover once, before the next frame is drawn. */
export function onCoveredEdges(listener: () => void): () => void {
  if (typeof ResizeObserver === 'undefined') return () => undefined
  const { visualViewport } = window
  const listening = new AbortController()
  const { signal } = listening
  const sizes = new ResizeObserver(listener)
  const follow = (): void => {
    sizes.disconnect()
    for (const cover of covers.keys()) sizes.observe(cover)
  }
  follow()
  coverListeners.add(follow)
  addEventListener('resize', listener, { signal })
  visualViewport?.addEventListener('resize', listener, { signal })
  visualViewport?.addEventListener('scroll', listener, { signal })
  return () => {
    sizes.disconnect()
    coverListeners.delete(follow)
    listening.abort()
  }
}
