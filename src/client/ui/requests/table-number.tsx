import type { CSSProperties, JSX } from 'react'
import { classNames } from '../class-names.ts'

/** How many digits are as wide in this font. An emoji's length is 2 already. */
function measureText(text: string): number {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  return (
    text.length +
    0.1 * count(/\p{Lu}/gu) +
    0.6 * count(/[mw]/giu) -
    0.45 * count(/[fijlrtI1 .'-]/gu) +
    count(/[\u3000-\ud7ff]/gu)
  )
}

/** The width of the longest word, in the same unit. */
export const longestWord = (text: string): number => Math.max(...text.split(/[\s-]+/u).map(measureText))

/** For styles that make a text smaller before its longest word breaks. */
export const wordShape = (text: string): CSSProperties & Record<`--${string}`, number> => ({
  '--word': longestWord(text),
})

/** What does not fit beside the rest of a ticket gets a line of its own. */
export const isLongName = (tableNumber: string): boolean => measureText(tableNumber) > 7.1

/** As large as its column allows: it gets narrower before it gets smaller, and smaller before a word breaks. */
export function TableNumber({ children }: { children: string }): JSX.Element {
  const shape: CSSProperties & Record<`--${string}`, number> = {
    '--letters': measureText(children),
    ...wordShape(children),
  }
  const isNarrow = children.length > 3
  return (
    <span className={classNames('ticket-number', isNarrow && 'ticket-number-narrow')} style={shape}>
      {children}
    </span>
  )
}
