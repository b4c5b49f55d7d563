import '../../../ui/ticket.css'
import Check from 'lucide-react/icons/check'
import { type JSX, memo, useCallback, useId } from 'react'
import { localName } from '#contract/names.ts'
import type { PersonRef, ServiceRequest } from '#contract/requests/requests.ts'
import { afterPaint } from '../../../lib/hooks/after-paint.ts'
import { askedText } from '../../../lib/texts/asked-text.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatElapsed } from '../../../lib/time/dates.ts'
import { classNames } from '../../../ui/class-names.ts'
import { RequestIcon } from '../../../ui/requests/request-icon.tsx'
import { isLongName, TableNumber } from '../../../ui/requests/table-number.tsx'
import { TimeText } from '../../../ui/requests/time-text.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { repeatText } from '../alerts/repeats.ts'
import type { ObserveRequest } from '../alerts/watched-requests.ts'
import { heatTimes, useHeat } from '../heat.ts'
import type { RequestAction } from './requests-reducer.ts'
import { HeatEdge, MoreButton, NewBadge, StillWaiting } from './ticket-parts.tsx'
import type { ActOnRequest } from './use-requests.ts'

export type RailItemProps = {
  request: ServiceRequest
  muted: boolean
  act: ActOnRequest
  observe: ObserveRequest
  /** Opens the drawer with more actions for the table. */
  onMore: (request: ServiceRequest) => void
}

type TicketProps = RailItemProps & {
  me: PersonRef
  /** Who has the table today: 'me', a first name, or null. */
  owner: string | null
  /** When it arrived while this screen was open; null when it was there before. */
  arrivedAt: number | null
  /** The action that was tapped and is waiting for the connection. */
  unsent: RequestAction | null
  /** How often the table has asked for it lately: see `countRepeats`. */
  repeats: number
}

/** Media queries, not container queries: those would lay every ticket out twice. */
export const Ticket = memo(function Ticket(props: TicketProps): JSX.Element {
  const { request, arrivedAt, unsent, observe, onMore } = props
  const { id, tableNumber, timestamp } = request
  const title = useId()
  // Nobody else knows about a tap that waits to be sent.
  const isWaiting = request.state === 'waiting' || unsent !== null
  const heat = useHeat(heatTimes([isWaiting ? { ...request, state: 'waiting' } : request]))
  return (
    <li
      data-request={id}
      data-heat={isWaiting ? heat : undefined}
      data-live={arrivedAt === null ? undefined : true}
      className={classNames('ticket', isLongName(tableNumber) && 'ticket-long')}
    >
      {isWaiting && <HeatEdge {...request} />}
      <h3 ref={useCallback((number: HTMLHeadingElement) => observe(number, id), [observe, id])} id={title}>
        <span className="ticket-word">{t('Table')}</span> <TableNumber>{tableNumber}</TableNumber>
      </h3>
      <MoreButton request={request} onMore={onMore} />
      <div className="ticket-words">
        <p className="ticket-type">
          <RequestIcon request={request} size={22} />
          {askedText(request)}
        </p>
        <span className="ticket-age">
          <TimeText at={timestamp} />
        </span>
        <Meta {...props} />
      </div>
      <Actions {...props} title={title} />
    </li>
  )
})

/** What else the crew should know, on one line while it fits. */
function Meta({ request, muted, me, owner, arrivedAt, unsent, repeats }: TicketProps): JSX.Element {
  const { acceptedBy, acceptedAt, asks, verified, movedFrom, byButton, note } = request
  const isTaken = acceptedBy !== null && unsent === null
  return (
    <p className="ticket-meta">
      <NewBadge arrivedAt={arrivedAt} />
      <StillWaiting {...request} />
      {isTaken && (
        <span>
          <strong>
            {me.id === null
              ? t('{name} is on the way', { name: localName(acceptedBy.name, t) })
              : t('You’re on it')}
          </strong>
          {acceptedAt && (
            <>
              {' '}
              <TimeText at={acceptedAt} format={formatElapsed} />
            </>
          )}
        </span>
      )}
      {!isTaken && owner === 'me' && <strong>{t('your table')}</strong>}
      {!isTaken && owner !== null && owner !== 'me' && (
        <span>{tRich('{name}’s table', { name: <bdi>{owner}</bdi> })}</span>
      )}
      {movedFrom !== undefined && <span>{t('moved from {table}', { table: movedFrom })}</span>}
      {byButton && <span>{t('by button')}</span>}
      {asks > 1 && <span>{t('asked {count}×', { count: asks })}</span>}
      {repeats > 1 && <span>{repeatText(repeats)}</span>}
      {muted && <span>{t('muted')}</span>}
      {unsent === 'release' && <strong>{t('Released · waits to send')}</strong>}
      {!verified && <Unverified movedFrom={movedFrom} />}
      {note && <bdi className="block font-semibold text-text">{note}</bdi>}
    </p>
  )
}

function Unverified({ movedFrom: table }: Pick<ServiceRequest, 'movedFrom'>): JSX.Element {
  const { toast } = useToast()
  const explain = (): void =>
    afterPaint(() =>
      toast({
        title: t('Unverified'),
        description: table
          ? t('It was sent at table {table}. The code of this one was not scanned.', { table })
          : t('It was sent without the code on the table.'),
      }),
    )
  return (
    <button type="button" aria-label={t('Unverified')} className="ticket-question" onClick={explain}>
      <span aria-hidden>?</span>
    </button>
  )
}

/** The next tap is the primary button: on my way, then complete. */
function Actions({ request, unsent, act, title }: TicketProps & { title: string }): JSX.Element {
  const button = (action: RequestAction, label: string, look: string): JSX.Element => (
    <button type="button" aria-describedby={title} className={look} onClick={() => act(action, request)}>
      {t(label)}
    </button>
  )
  const complete = (
    <button
      type="button"
      data-complete
      aria-describedby={title}
      aria-label={unsent === 'accept' ? t('Mark Complete') : undefined}
      className={request.state === 'accepted' && unsent === null ? 'ticket-done' : 'ticket-complete'}
      onClick={() => act('complete', request)}
    >
      <Check aria-hidden size={22} />
      {unsent !== 'accept' && t('Mark Complete')}
    </button>
  )
  if (unsent === 'accept' || unsent === 'complete') {
    return (
      <div className="ticket-actions">
        <p className="ticket-unsent">
          {t(unsentLabels[unsent])} · {t('waits to send')}
        </p>
        {unsent === 'accept' ? complete : button('reopen', 'Undo', 'ticket-release')}
      </div>
    )
  }
  return (
    <div className="ticket-actions">
      {request.state === 'waiting' && button('accept', 'On my way', 'ticket-go')}
      {complete}
      {request.state === 'accepted' && button('release', 'Release', 'ticket-release')}
    </div>
  )
}

const unsentLabels = { accept: 'On my way', complete: 'Complete' } as const
