import { type JSX } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../button.tsx'

type ShowAllButtonProps = {
  count: number
  /** Whether all of them are shown. */
  all: boolean
  setAll: (all: boolean) => void
}

/** Below the first of a list: shows the others as well, or hides them again. */
export function ShowAllButton({ count, all, setAll }: ShowAllButtonProps): JSX.Element {
  return (
    <div className="print:hidden">
      <Button variant="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
        {all ? t('Show fewer') : t('Show all {count}', { count })}
      </Button>
    </div>
  )
}
