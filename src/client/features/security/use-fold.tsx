import { type JSX, useState } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'

/** The first of a list, and the button that shows the others as well. */
export function useFold<T>(
  items: readonly T[],
  most: number,
): { shown: readonly T[]; toggle: JSX.Element | null } {
  const [all, setAll] = useState(false)
  if (items.length <= most) return { shown: items, toggle: null }
  return {
    shown: all ? items : items.slice(0, most),
    toggle: (
      <div>
        <Button variant="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('Show fewer') : t('Show all {count}', { count: items.length })}
        </Button>
      </div>
    ),
  }
}
