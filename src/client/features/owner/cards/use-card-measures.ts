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
  const [rulers] = useState(createRulers)
  const [measure, setMeasure] = useState(() => createMeasures(rulers))
  // Before the browser can have loaded what the first measuring asked for.
  useLayoutEffect(() => {
    const renew = (): void => setMeasure(createMeasures(rulers))
    // Not there under jsdom.
    document.fonts?.addEventListener('loadingdone', renew)
    return () => {
      document.fonts?.removeEventListener('loadingdone', renew)
      for (const { element } of Object.values(rulers)) element.remove()
    }
  }, [rulers])
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
      if (!isOver) setMeasure(createMeasures(rulers))
    })
    return () => {
      isOver = true
    }
  }, [isPrinting, measure, rulers])
  const print = useCallback(() => setPrinting(true), [])
  return { measure, print }
}

type Ruler = { element: HTMLElement; words: Text }
type Rulers = Record<keyof CardMeasures, Ruler>

const createRulers = (): Rulers => ({ display: createRuler('display'), plain: createRuler('plain') })

function createRuler(className: string): Ruler {
  const element = document.createElement('span')
  element.className = `ruler ${className}`
  element.style.fontSize = `${testSizePx}px`
  const words = document.createTextNode('')
  element.append(words)
  return { element, words }
}

const createMeasures = ({ display, plain }: Rulers): CardMeasures => ({
  display: createMeasure(display),
  plain: createMeasure(plain),
})

function createMeasure(ruler: Ruler): Measure {
  const known = new Map<string, number>()
  return (text) => {
    const width = known.get(text) ?? measureWidth(text, ruler)
    known.set(text, width)
    return width
  }
}

/** For paper, browsers style every card again if an element comes or goes, but not if the words in one change. */
function measureWidth(text: string, { element, words }: Ruler): number {
  if (!element.isConnected) document.body.append(element)
  words.data = text
  const { width } = element.getBoundingClientRect()
  words.data = ''
  return width / testSizePx
}
