import { useLayoutEffect } from 'react'
import { coveredEdgesOf, onCoveredEdges } from './covered-edges.ts'

/** In pixels, around what has the focus. */
const focusMargin = 8

/** What gets the focus is scrolled to where nothing covers it. */
export function ScrollPadding(): null {
  useLayoutEffect(() => {
    const root = document.documentElement
    const stop = onCoveredEdges(() => {
      const { top, bottom } = coveredEdgesOf(root)
      root.style.scrollPaddingBlock = `${top + focusMargin}px ${bottom + focusMargin}px`
    })
    return () => {
      stop()
      root.style.removeProperty('scroll-padding-block')
    }
  }, [])
  return null
}
