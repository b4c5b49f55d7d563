import { useCallback, useEffect, useLayoutEffect, useState } from 'react'
import type { Measure } from './fit-text.ts'

const testSizePx = 100

/** In both fonts. */
export type CardMeasures = Record<'display' | 'plain', Measure>

type MeasuredCards = {
  measure: CardMeasures
  /** Once every text has been measured in the font that it is printed in. */
  print: () => void
}

/** Measures what is on the cards, anew whenever fonts have loaded. */
export function useCardMeasures(): MeasuredCards {
  const [measure, setMeasure] = useState(createMeasures)
  // Before the browser can have loaded what the first measuring asked for.
  useLayoutEffect(() => {
    const renew = (): void => setMeasure(createMeasures)
    // Not there under jsdom.
    document.fonts?.addEventListener('loadingdone', renew)
    return () => document.fonts?.removeEventListener('loadingdone', renew)
  }, [])
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    if (!isPrinting) return undefined
    if (document.fonts?.status !== 'loading') {
      setPrinting(false)
      window.print()
      return undefined
    }
    // Then again, because measuring may ask for a part of a font that was not needed before.
    let isOver = false
    void document.fonts.ready.then(() => {
      if (!isOver) setMeasure(createMeasures)
    })
    return () => {
      isOver = true
    }
  }, [isPrinting, measure])
  const print = useCallback(() => setPrinting(true), [])
  return { measure, print }
}

const createMeasures = (): CardMeasures => ({
  display: createMeasure('display'),
  plain: createMeasure('plain'),
})

function createMeasure(className: string): Measure {
  const known = new Map<string, number>()
  return (text) => {
    const width = known.get(text) ?? measureWidth(text, className)
    known.set(text, width)
    return width
  }
}

function measureWidth(text: string, className: string): number {
  const ruler = document.createElement('span')
  ruler.className = `ruler ${className}`
  ruler.style.fontSize = `${testSizePx}px`
  ruler.textContent = text
  document.body.append(ruler)
  const { width } = ruler.getBoundingClientRect()
  ruler.remove()
  return width / testSizePx
}
