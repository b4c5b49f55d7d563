import type { CSSProperties, JSX } from 'react'
import { classNames } from '../../../ui/class-names.ts'

/** In digits. In this font M and W are wider than a digit, and a Chinese character is nearly two digits; an emoji's length is 2 already. */
export function measureText(text: string): number {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  return text.length + 0.6 * count(/[mw]/giu) + count(/[\u3000-\ud7ff]/gu)
}

/** What does not fit beside the rest of a ticket gets a line of its own. */
const longFrom = 10

export const isLongName = (tableNumber: string): boolean => measureText(tableNumber) >= longFrom

/** As large as its column allows: it gets narrower before it gets smaller. */
export function TableNumber({ children }: { children: string }): JSX.Element {
  const letters = measureText(children)
  const shape: CSSProperties & Record<`--${string}`, number> = { '--letters': letters }
  const isNarrow = children.length > 3
  return (
    <span className={classNames('ticket-number', isNarrow && 'ticket-number-narrow')} style={shape}>
      {children}
    </span>
  )
}
