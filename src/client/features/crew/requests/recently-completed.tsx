import { type JSX, memo } from 'react'
import { type ClosedRequest, serviceTypeLabels, undoWindowMs } from '#contract/requests.ts'
import { Button } from '../../../ui/button.tsx'
import { useTimeAgo, useIsBefore } from '../use-elapsed-time.ts'
import type { ActOnRequest } from './use-requests.ts'

const Entry = memo(function Entry({
  entry: { request, closedAt, by, cancelled },
  act,
}: {
  entry: ClosedRequest
  act: ActOnRequest
}): JSX.Element {
  const ago = useTimeAgo(closedAt)
  const canUndo = useIsBefore(cancelled ? null : closedAt + undoWindowMs)
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 py-1">
      <strong className="font-display">{request.tableNumber}</strong>
      <span>{serviceTypeLabels[request.serviceType]}</span>
      <span className="me-auto text-base text-text-mute">
        {by && `${by.name} · `}
        {cancelled && 'cancelled by the guest · '}
        {ago}
      </span>
      {canUndo && (
        <Button variant="quiet" onClick={() => act('reopen', request)}>
          Undo
        </Button>
      )}
    </li>
  )
})

export function RecentlyCompleted({
  recent,
  act,
}: {
  recent: readonly ClosedRequest[]
  act: ActOnRequest
}): JSX.Element | null {
  if (recent.length === 0) return null
  return (
    <details className="mt-4 rounded-ticket border border-rule">
      <summary className="flex min-h-14 items-center px-4 font-semibold">Recently completed</summary>
      <ul className="flex flex-col divide-y divide-rule px-4 pb-2">
        {recent.map((entry) => (
          <Entry key={entry.request.id} entry={entry} act={act} />
        ))}
      </ul>
    </details>
  )
}
