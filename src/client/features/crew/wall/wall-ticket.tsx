import '../requests/ticket.css'
import { type CSSProperties, type JSX, memo, useCallback } from 'react'
import { type ServiceRequest, serviceTypeLabels } from '#contract/requests.ts'
import { ServiceIcon } from '../../../ui/service-icon.tsx'
import { NewBadge, StillWaiting } from '../requests/ticket-parts.tsx'
import { useAge, useTimeAgo } from '../use-elapsed-time.ts'
import type { ObserveTicket } from '../requests/use-seen-requests.ts'
import { fitTableName } from './wall-layout.ts'

type WallTicketProps = { request: ServiceRequest; arrivedAt: number | null; observe: ObserveTicket }

/** A request to be read from across the room, without buttons. */
export const WallTicket = memo(function WallTicket({
  request,
  arrivedAt,
  observe,
}: WallTicketProps): JSX.Element {
  const { id, tableNumber, serviceType, acceptedBy, timestamp } = request
  const age = useAge(request)
  const { lines, letters } = fitTableName(tableNumber)
  const shape: CSSProperties & Record<`--${string}`, number> = { '--lines': lines, '--letters': letters }
  return (
    <li
      ref={useCallback((ticket: HTMLLIElement) => observe(ticket), [observe])}
      data-request={id}
      data-age={age}
      className="wall-ticket wall-place relative overflow-clip rounded-ticket bg-plate"
    >
      <span aria-hidden className="ticket-edge absolute inset-y-0 inset-s-0 w-3" />
      <div className="grid h-full grid-cols-[minmax(0,45fr)_minmax(0,55fr)] items-center gap-x-[2cqw] ps-[5cqw] pe-[2cqw]">
        <h2 style={shape} className="wrap-anywhere">
          <span className="wall-text block font-sans font-semibold text-text-mute">Table</span>{' '}
          <span className="wall-number block">{tableNumber}</span>
        </h2>
        <div className="wall-text min-w-0">
          <p className="flex items-center gap-[0.4em] font-semibold">
            <ServiceIcon type={serviceType} />
            <span className="min-w-0 truncate">{serviceTypeLabels[serviceType]}</span>
          </p>
          <p className="flex items-center gap-[0.4em] text-text-mute">
            <time dateTime={new Date(timestamp).toISOString()}>{useTimeAgo(timestamp)}</time>
            <NewBadge arrivedAt={arrivedAt} size="large" />
          </p>
          <StillWaiting {...request} />
          {acceptedBy && (
            <p className="line-clamp-2 font-semibold text-done">{acceptedBy.name} is on the way</p>
          )}
        </div>
      </div>
    </li>
  )
})
