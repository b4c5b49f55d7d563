import type { RefCallback } from 'react'

type Side = 'top' | 'bottom'

/** What the page scrolls beneath wherever the styles make it stick, and to which edge of the window. */
export const covers = new Map<HTMLElement, Side>()
export const coverListeners = new Set<() => void>()

function changed(): void {
  for (const listener of coverListeners) listener()
}

const coversEdge =
  (side: Side): RefCallback<HTMLElement> =>
  (element) => {
    if (!element) return undefined
    covers.set(element, side)
    changed()
    return () => {
      covers.delete(element)
      changed()
    }
  }

export const coversTop = coversEdge('top')
export const coversBottom = coversEdge('bottom')
