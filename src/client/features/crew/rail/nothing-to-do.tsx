import './nothing-to-do.css'
import type { JSX } from 'react'
import type { ClosedRequest } from '#contract/requests/requests.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatTime } from '../../../lib/time/dates.ts'

type NothingToDoProps = {
  last: ClosedRequest | undefined
  /** How many requests wait in other sections. */
  elsewhere: number
}

/** A lamp above an empty rail. */
export function NothingToDo({ last, elsewhere }: NothingToDoProps): JSX.Element {
  return (
    <div className="nothing-to-do">
      <div aria-hidden className="lamp" />
      <p className="font-display text-2xl font-bold">
        {elsewhere === 0 ? t('No active requests') : t('{count} elsewhere', { count: elsewhere })}
      </p>
      {last && !last.cancelled && (
        <p className="text-text-mute">
          {t('The last one was done at {time}.', { time: formatTime(last.closedAt) })}
        </p>
      )}
    </div>
  )
}
