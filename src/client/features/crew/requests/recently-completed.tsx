import './recently-completed.css'
import Check from 'lucide-react/icons/check'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { type JSX, memo, useId } from 'react'
import { localName } from '#contract/names.ts'
import { type ClosedRequest, undoWindowMs } from '#contract/requests/requests.ts'
import { askedText } from '../../../lib/texts/asked-text.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { TimeText } from '../../../ui/requests/time-text.tsx'
import { useIsBefore } from '../heat.ts'
import { useRequestsOnScreen } from './requests-provider.tsx'
import { maxShown } from './requests-reducer.ts'
import type { ActOnRequest } from './use-requests.ts'

/** A list beside the requests, or one that opens below them. */
export function RecentlyCompleted({ aside }: { aside: boolean }): JSX.Element | null {
  const { recent, act } = useRequestsOnScreen()
  const heading = useId()
  if (recent.length === 0) return null
  const shown = recent.slice(0, maxShown)
  const entries = shown.map((entry) => <Entry key={entry.request.id} entry={entry} act={act} />)
  if (aside) {
    return (
      <section aria-labelledby={heading} className="recent">
        <h3 id={heading}>{t('Recently completed')}</h3>
        <ul>{entries}</ul>
      </section>
    )
  }
  return (
    <details className="recent">
      <summary>
        <Check aria-hidden size={20} className="text-done" />
        {t('Recently completed')}
        <span aria-hidden className="ms-auto text-text-mute">
          {shown.length}
        </span>
        <ChevronRight aria-hidden size={20} className="recent-arrow" />
      </summary>
      <ul>{entries}</ul>
    </details>
  )
}

const Entry = memo(function Entry({
  entry: { request, closedAt, by, cancelled },
  act,
}: {
  entry: ClosedRequest
  act: ActOnRequest
}): JSX.Element {
  const canUndo = useIsBefore(cancelled ? null : closedAt + undoWindowMs)
  return (
    <li>
      <strong className="font-display wrap-anywhere">{request.tableNumber}</strong>
      <span>{askedText(request)}</span>
      <span className="recent-more">
        {by && <bdi>{localName(by.name, t)}</bdi>}{' '}
        {cancelled && (
          <span>
            {by && '· '}
            {t('cancelled by the guest')}
          </span>
        )}{' '}
        <span>
          {(by || cancelled) && '· '}
          <TimeText at={closedAt} />
        </span>
      </span>
      {canUndo && (
        <Button variant="quiet" size={44} onClick={() => act('reopen', request)}>
          {t('Undo')}
        </Button>
      )}
    </li>
  )
})
