import './ticket.css'
import Check from 'lucide-react/icons/check'
import { type JSX, memo, useCallback, useId } from 'react'
import { type ServiceRequest, serviceTypeLabels, targetMs } from '#contract/requests.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ServiceIcon } from '../../ui/service-icon.tsx'
import { useAge, useTimeAgo, useUntil } from './use-age.ts'
import type { Act } from './use-requests.ts'

const newMs = 5000

export type TicketProps = {
  request: ServiceRequest
  mine: boolean
  /** When it arrived before the eyes of this screen. */
  arrivedAt: number | null
  act: Act
  observe: (ticket: HTMLLIElement) => () => void
}

export const Ticket = memo(function Ticket({
  request,
  mine,
  arrivedAt,
  act,
  observe,
}: TicketProps): JSX.Element {
  const { id, tableNumber, serviceType, state, acceptedBy } = request
  const title = useId()
  const age = useAge(request)
  return (
    <li
      ref={observe}
      data-request={id}
      data-type={serviceType}
      data-age={age}
      data-live={arrivedAt === null ? undefined : true}
      className="ticket relative grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-4 overflow-clip rounded-ticket bg-plate py-4 ps-6 pe-4 @2xl:grid-cols-[minmax(7rem,auto)_minmax(0,1fr)_auto]"
    >
      <Edge request={request} />
      <h3 id={title} className="min-w-24 leading-none wrap-anywhere">
        <span className="block font-sans text-base font-semibold text-text-mute">Table </span>
        <span className={sizeOf(tableNumber)}>{tableNumber}</span>
      </h3>
      <div className="min-w-0 text-text-mute">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-lg font-semibold text-text">
          <ServiceIcon type={serviceType} />
          {serviceTypeLabels[serviceType]}
          <NewBadge arrivedAt={arrivedAt} />
        </p>
        <p>
          <Ago at={request.timestamp} />
          {[
            mine && 'your table',
            request.asks > 1 && `asked ${request.asks}×`,
            !request.verified && 'unverified',
          ]
            .filter(Boolean)
            .map((note) => ` · ${note}`)}
        </p>
        {acceptedBy && <p className="font-semibold text-done">{acceptedBy.name} is on the way</p>}
        {!acceptedBy && request.level > 0 && (
          <p className="font-semibold text-action">
            {request.level === 2 ? 'Raised to the manager' : 'Raised to all crew'}
          </p>
        )}
      </div>
      <div className="col-span-full grid grid-cols-2 gap-3 @2xl:col-span-1 @2xl:flex">
        {state === 'waiting' ? (
          <Button aria-describedby={title} onClick={() => act('accept', request)}>
            On my way
          </Button>
        ) : (
          <Button variant="quiet" aria-describedby={title} onClick={() => act('release', request)}>
            Release
          </Button>
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
      </div>
    </li>
  )
})

/** Runs by itself from the age the ticket has now, and goes on while the ticket is out of view. */
function Edge({ request: { timestamp, serviceType } }: { request: ServiceRequest }): JSX.Element {
  const fill = useCallback(
    (edge: HTMLSpanElement) => {
      if (!edge.animate || matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined
      const animation = edge.animate([{ transform: 'scaleY(0.04)' }, { transform: 'scaleY(1)' }], {
        duration: targetMs[serviceType],
        delay: Math.min(0, timestamp - Date.now()),
        fill: 'both',
      })
      return () => animation.cancel()
    },
    [timestamp, serviceType],
  )
  return <span ref={fill} aria-hidden className="ticket-edge absolute inset-y-0 inset-s-0 w-2" />
}

function NewBadge({ arrivedAt }: { arrivedAt: number | null }): JSX.Element | null {
  const isNew = useUntil(arrivedAt === null ? null : arrivedAt + newMs)
  return isNew ? <Badge tone="action">NEW</Badge> : null
}

function Ago({ at }: { at: number }): JSX.Element {
  return <time dateTime={new Date(at).toISOString()}>{useTimeAgo(at)}</time>
}

/** A table may be called "Patio, by the fountain". */
function sizeOf(tableNumber: string): string {
  if (tableNumber.length <= 8) return 'text-4xl'
  return tableNumber.length <= 16 ? 'text-3xl' : 'text-2xl'
}
