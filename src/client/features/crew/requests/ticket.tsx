import './ticket.css'
import Check from 'lucide-react/icons/check'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { type JSX, memo, useCallback, useId, useState } from 'react'
import { type ServiceRequest, serviceTypeLabels, targetResponseMs } from '#contract/requests.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { ServiceIcon } from '../../../ui/service-icon.tsx'
import type { RequestAction } from './requests-reducer.ts'
import { NewBadge, StillWaiting } from './ticket-parts.tsx'
import { useAge, useElapsedMs, useTimeAgo, useIsBefore } from '../use-elapsed-time.ts'
import type { ActOnRequest } from './use-requests.ts'
import type { ObserveTicket } from './use-seen-requests.ts'

type TicketProps = {
  request: ServiceRequest
  mine: boolean
  muted: boolean
  /** When it arrived while this screen was open; null when it was there before. */
  arrivedAt: number | null
  /** The action that was tapped and is waiting for the connection. */
  unsent: RequestAction | null
  act: ActOnRequest
  observe: ObserveTicket
  /** Opens the drawer with more actions for the table. */
  onMore: (tableNumber: string) => void
}

/** Media queries, not container queries: those would lay every ticket out twice. */
export const Ticket = memo(function Ticket({
  request,
  mine,
  muted,
  arrivedAt,
  unsent,
  act,
  observe,
  onMore,
}: TicketProps): JSX.Element {
  const { id, tableNumber, serviceType, acceptedBy } = request
  const title = useId()
  const age = useAge(request)
  const [inView, setInView] = useState(false)
  return (
    <li
      ref={useCallback((ticket: HTMLLIElement) => observe(ticket, setInView), [observe])}
      data-request={id}
      data-age={age}
      data-live={arrivedAt === null ? undefined : true}
      className="ticket relative grid grid-cols-[fit-content(45%)_minmax(0,1fr)] items-center gap-x-4 gap-y-4 overflow-clip rounded-ticket bg-plate py-4 ps-5 pe-3 min-[45rem]:max-lg:grid-cols-[fit-content(40%)_minmax(0,1fr)_auto]"
    >
      <AgeBar request={request} inView={inView} />
      <h3 id={title} className="min-w-24 leading-none wrap-anywhere min-[45rem]:max-lg:min-w-28">
        <span className="block font-sans text-base font-semibold text-text-mute">Table</span>{' '}
        <span className={tableNumberSize(tableNumber)}>{tableNumber}</span>
      </h3>
      <div className="min-w-0 wrap-anywhere text-text-mute">
        {/* The button stays beside the text even when it wraps. */}
        <div className="-me-3 flex items-start">
          <p className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1 text-lg font-semibold text-text">
            <ServiceIcon type={serviceType} />
            {serviceTypeLabels[serviceType]}
            <NewBadge arrivedAt={arrivedAt} />
          </p>
          <span className="-my-2.5">
            <IconButton
              label={`More for table ${tableNumber}`}
              size={44}
              aria-haspopup="dialog"
              onClick={() => onMore(tableNumber)}
            >
              <Ellipsis aria-hidden />
            </IconButton>
          </span>
        </div>
        <p>
          <TimeAgo at={request.timestamp} inView={inView} />
          {mine && (
            <>
              {' · '}
              <strong className="font-semibold text-text">your table</strong>
            </>
          )}
          {request.asks > 1 && ` · asked ${request.asks}×`}
          {!request.verified && ' · unverified'}
          {muted && ' · muted'}
        </p>
        <StillWaiting {...request} />
        {unsent && <p className="font-semibold text-action">{unsentLabels[unsent]} · waits to send</p>}
        {!unsent && acceptedBy && <p className="font-semibold text-done">{acceptedBy.name} is on the way</p>}
        {!unsent && !acceptedBy && request.level > 0 && (
          <p className="font-semibold text-action">
            {request.level === 2 ? 'Raised to the manager' : 'Raised to all crew'}
          </p>
        )}
      </div>
      <div className="col-span-full grid grid-cols-[auto_1fr] gap-3 min-[45rem]:max-lg:col-span-1 min-[45rem]:max-lg:flex">
        {unsent === 'complete' ? (
          <Button aria-describedby={title} onClick={() => act('reopen', request)}>
            Undo
          </Button>
        ) : (
          <OpenActions {...{ request, title, act }} />
        )}
      </div>
    </li>
  )
})

const unsentLabels: Record<RequestAction, string> = {
  accept: 'On my way',
  release: 'Released',
  complete: 'Complete',
  reopen: 'Open again',
}

function OpenActions({
  request,
  title,
  act,
}: {
  request: ServiceRequest
  title: string
  act: ActOnRequest
}): JSX.Element {
  return (
    <>
      {request.state === 'waiting' ? (
        <Button aria-describedby={title} onClick={() => act('accept', request)}>
          On my way
        </Button>
      ) : (
        <ReleaseButton title={title} onRelease={() => act('release', request)} />
      )}
      <Button
        variant="plate"
        data-complete
        aria-describedby={title}
        icon={<Check aria-hidden className="shrink-0 text-done" />}
        onClick={() => act('complete', request)}
      >
        Mark Complete
      </Button>
    </>
  )
}

const releaseDelayMs = 500

/** It replaces "On my way": a tap meant for that button must not release what a colleague has just accepted. */
function ReleaseButton({ title, onRelease }: { title: string; onRelease: () => void }): JSX.Element {
  const [shownAt] = useState(Date.now)
  const isSettling = useIsBefore(shownAt + releaseDelayMs)
  return (
    <Button variant="quiet" disabled={isSettling} aria-describedby={title} onClick={onRelease}>
      Release
    </Button>
  )
}

/** Updates once a second: an animation would draw 60 frames a second for the whole shift. */
function AgeBar({ request, inView }: { request: ServiceRequest; inView: boolean }): JSX.Element {
  const target = targetResponseMs[request.serviceType]
  const elapsed = useElapsedMs(request.timestamp, { youngMs: target, inView })
  const fill = Math.min(1, Math.max(0.04, elapsed / target))
  return (
    <span
      aria-hidden
      className="ticket-edge absolute inset-y-0 inset-s-0 w-2"
      style={{ transform: `scaleY(${fill.toFixed(3)})` }}
    />
  )
}

function TimeAgo({ at, inView }: { at: number; inView: boolean }): JSX.Element {
  return <time dateTime={new Date(at).toISOString()}>{useTimeAgo(at, inView)}</time>
}

/** A table may be called "Patio, by the fountain". */
function tableNumberSize(tableNumber: string): string {
  if (tableNumber.length <= 8) return 'text-4xl'
  return tableNumber.length <= 16 ? 'text-3xl' : 'text-2xl'
}
