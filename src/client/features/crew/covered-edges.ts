import type { RefCallback } from 'react'

/** How far what sticks to the window covers the page, from the window's edges, in pixels. */
export type CoveredEdges = { top: number; bottom: number }

type Side = keyof CoveredEdges

const covers = new Map<HTMLElement, Side>()
const listeners = new Set<() => void>()
let sizes: ResizeObserver | null = null

function changed(): void {
  for (const listener of listeners) listener()
}

function cover(element: HTMLElement | null, side: Side): (() => void) | undefined {
  if (!element || typeof ResizeObserver === 'undefined') return undefined
  sizes ??= new ResizeObserver(changed)
  covers.set(element, side)
  sizes.observe(element)
  return () => {
    covers.delete(element)
    sizes?.unobserve(element)
    changed()
  }
}

/** The refs of what the page scrolls beneath wherever the styles make it stick. */
export const coversTop: RefCallback<HTMLElement> = (element) => cover(element, 'top')
export const coversBottom: RefCallback<HTMLElement> = (element) => cover(element, 'bottom')

/** What covers `element`, which may itself be a part of one. The keyboard of a phone covers the lower edge, too. */
export function coveredEdgesOf(element: Element): CoveredEdges {
  const { visualViewport } = window
  const edges = { top: visualViewport?.offsetTop ?? 0, bottom: 0 }
  if (visualViewport) edges.bottom = Math.max(0, innerHeight - edges.top - visualViewport.height)
  for (const [each, side] of covers) {
    const style = getComputedStyle(each)
    if (style.position !== 'sticky' || each.contains(element)) continue
    edges[side] = Math.max(edges[side], Number.parseFloat(style[side]) + each.offsetHeight)
  }
  return edges
}

export function onCoveredEdges(listener: () => void): () => void {
  const { visualViewport } = window
  const listening = new AbortController()
  const { signal } = listening
  listeners.add(listener)
  addEventListener('resize', listener, { signal })
  visualViewport?.addEventListener('resize', listener, { signal })
  visualViewport?.addEventListener('scroll', listener, { signal })
  return () => {
    listeners.delete(listener)
    listening.abort()
  }
}
