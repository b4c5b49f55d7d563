import { type JSX, useState } from 'react'
import { ShowAllButton } from './show-all-button.tsx'

/** The first of a list, and the button that shows the others as well. */
export function useFold<T>(
  items: readonly T[],
  most: number,
): { shown: readonly T[]; toggle: JSX.Element | null } {
  const [all, setAll] = useState(false)
  if (items.length <= most) return { shown: items, toggle: null }
  return {
    shown: all ? items : items.slice(0, most),
    toggle: <ShowAllButton count={items.length} all={all} setAll={setAll} />,
  }
}
