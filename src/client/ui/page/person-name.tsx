import type { JSX } from 'react'
import { wordShape } from '../requests/table-number.tsx'

/** A name in a list, a block: it gets smaller before a word of it breaks. */
export function PersonName({ children }: { children: string }): JSX.Element {
  return (
    <span className="@container block">
      <span
        style={wordShape(children)}
        className="font-semibold wrap-anywhere text-[length:max(0.8125rem,min(1em,100cqi/var(--word)/0.6))]"
      >
        {children}
      </span>
    </span>
  )
}
