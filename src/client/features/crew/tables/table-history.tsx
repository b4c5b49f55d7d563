import { type JSX, useId } from 'react'
import { api } from '#contract/api.ts'
import type { PastRequest } from '#contract/requests/requests.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { askedText } from '../../../lib/texts/asked-text.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatElapsed } from '../../../lib/time/dates.ts'
import { LoadingOrError } from '../../../ui/page/load-error.tsx'
import { RequestIcon } from '../../../ui/requests/request-icon.tsx'
import { TimeText } from '../../../ui/requests/time-text.tsx'

/** What the table asked for in the last 90 minutes, and how long it waited. */
export function TableHistory({ tableNumber }: { tableNumber: string }): JSX.Element {
  const heading = useId()
  const history = useFreshApiQuery(api.tables.history, { query: { tableNumber } })
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-1">
      <h3 id={heading} className="text-lg">
        {t('Last 90 minutes')}
      </h3>
      {!history.data && <LoadingOrError failed={history.isError} onRetry={history.refetch} />}
      {history.data?.length === 0 && (
        <p className="text-text-mute">{t('This table has not asked for anything.')}</p>
      )}
      <ul className="flex flex-col divide-y divide-rule">
        {history.data?.map((request) => (
          <Entry key={request.id} {...request} />
        ))}
      </ul>
    </section>
  )
}

function Entry(request: PastRequest): JSX.Element {
  const { timestamp, asks, movedFrom, movedTo } = request
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-0 py-1">
      <RequestIcon request={request} size={20} />
      <span className="font-semibold">{askedText(request)}</span>
      {asks > 1 && <span className="text-text-mute">{t('asked {count}×', { count: asks })}</span>}
      {movedTo !== undefined && (
        <span className="text-text-mute">{t('moved to {table}', { table: movedTo })}</span>
      )}
      {movedFrom !== undefined && (
        <span className="text-text-mute">{t('moved from {table}', { table: movedFrom })}</span>
      )}
      <span className="ms-auto text-text-mute">
        {waitingText(request)} · <TimeText at={timestamp} />
      </span>
    </li>
  )
}

function waitingText({ timestamp, answeredAt, closedAt, cancelled }: PastRequest) {
  if (cancelled) return t('cancelled')
  const answered = answeredAt ?? closedAt
  return answered === null ? t('waits') : t('waited {time}', { time: formatElapsed(answered - timestamp) })
}
