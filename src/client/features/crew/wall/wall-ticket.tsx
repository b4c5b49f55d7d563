import '../../../ui/ticket.css'
import { type CSSProperties, type JSX, memo, useCallback } from 'react'
import { firstName, localName } from '#contract/names.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { askedText } from '../../../lib/texts/asked-text.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatElapsed } from '../../../lib/time/dates.ts'
import { classNames } from '../../../ui/class-names.ts'
import { RequestIcon } from '../../../ui/requests/request-icon.tsx'
import { TimeText } from '../../../ui/requests/time-text.tsx'
import type { ObserveRequest } from '../alerts/watched-requests.ts'
import { heatTimes, useHeat } from '../heat.ts'
import { HeatEdge, NewBadge, StillWaiting } from '../requests/ticket-parts.tsx'
import { anonymousCrew } from '../requests/use-requests.ts'
import { fitTableName } from './wall-layout.ts'

type WallTicketProps = { request: ServiceRequest; arrivedAt: number | null; observe: ObserveRequest }

/** A waiting request to be read from across the room, without buttons. */
export const WallTicket = memo(function WallTicket({
  request,
  arrivedAt,
  observe,
}: WallTicketProps): JSX.Element {
  const { id, tableNumber, timestamp, asks } = request
  const heat = useHeat(heatTimes([request]))
  return (
    <li
      ref={useCallback((ticket: HTMLLIElement) => observe(ticket, id), [observe, id])}
      data-request={id}
      data-heat={heat}
      className={classNames('wall-ticket wall-place', isWide(tableNumber) && 'wall-wide')}
    >
      <HeatEdge {...request} />
      <div className="wall-face">
        <h2>
          <span className="wall-label">{t('Table')}</span> <WallNumber>{tableNumber}</WallNumber>
        </h2>
        <div className="wall-text">
          <p className="wall-age">
            <TimeText at={timestamp} format={formatElapsed} />
          </p>
          <p className="wall-type">
            <RequestIcon request={request} />
            <span className="min-w-0 truncate">{askedText(request)}</span>
          </p>
          <p className="wall-more-words">
            <NewBadge arrivedAt={arrivedAt} size="large" />
            <StillWaiting {...request} />
            {asks > 1 && <span>{t('asked {count}×', { count: asks })}</span>}
          </p>
        </div>
      </div>
    </li>
  )
})

/** A request that somebody takes care of: the name and how long, but not as large. */
export const WallLine = memo(function WallLine({
  request,
  observe,
}: Omit<WallTicketProps, 'arrivedAt'>): JSX.Element {
  const { id, tableNumber, acceptedBy, acceptedAt } = request
  const name = localName((acceptedBy ?? anonymousCrew).name, t)
  return (
    <li
      ref={useCallback((line: HTMLLIElement) => observe(line, id), [observe, id])}
      data-request={id}
      className={classNames('wall-line', isWide(tableNumber) && 'wall-wide')}
    >
      <h3>
        <span className="sr-only">{t('Table')}</span> <WallNumber>{tableNumber}</WallNumber>
      </h3>
      <div className="min-w-0">
        <p className="wall-who">
          <bdi aria-hidden>{firstName(name)}</bdi>
          <span className="sr-only">{t('{name} is on the way', { name })}</span>
          {acceptedAt && (
            <span className="shrink-0">
              {' · '}
              <TimeText at={acceptedAt} format={formatElapsed} />
            </span>
          )}
        </p>
        <p className="wall-type">
          <RequestIcon request={request} />
          <span>{askedText(request)}</span>
          <StillWaiting {...request} />
        </p>
      </div>
    </li>
  )
})

/** Whether a name would be small beside the rest. */
const isWide = (tableNumber: string): boolean => fitTableName(tableNumber).letters > 10

/** As large as its place allows. */
function WallNumber({ children }: { children: string }): JSX.Element {
  const { lines, letters } = fitTableName(children)
  const shape: CSSProperties & Record<`--${string}`, number> = { '--lines': lines, '--letters': letters }
  return (
    <span className={classNames('wall-number', children.length > 3 && 'wall-number-narrow')} style={shape}>
      {children}
    </span>
  )
}
