import { type JSX, type ReactNode } from 'react'
import { firstName, localName } from '#contract/names.ts'
import { type ServiceRequest, targetMsOf } from '#contract/requests/requests.ts'
import { useConnection } from '../../../api/live/use-live.ts'
import { useMedia } from '../../../lib/hooks/use-media.ts'
import { toServerTime } from '../../../lib/server-clock.ts'
import { askedText } from '../../../lib/texts/asked-text.ts'
import { formatDuration } from '../../../lib/texts/format.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { Badge } from '../../../ui/badge.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { useFold } from '../../../ui/page/use-fold.tsx'
import { RequestIcon } from '../../../ui/requests/request-icon.tsx'
import { TimeText } from '../../../ui/requests/time-text.tsx'
import type { CrewOnFloor } from './crew-on-floor.ts'
import { compareByUrgency, type TodayState } from './today-reducer.ts'

/** More are shown on demand; the Crew Dashboard has them all. */
const maxShown = 4
/** The alert above them names two as well. */
const maxShownOnPhone = 3

type TodayPanelProps = {
  today: TodayState
  /** Whether somebody should be listening now; null until known. */
  listenersNeeded: boolean | null
  /** Null until known. */
  people: readonly CrewOnFloor[] | null
}

/** Who waits right now, and for how long. Without a connection it cannot know, and says how old what it shows is. */
export function TodayPanel({ today, listenersNeeded, people }: TodayPanelProps): JSX.Element {
  const { open, loaded, screens } = today
  const connection = useConnection()
  const heardAt = connection.state === 'reconnecting' ? connection.lastMessageAt : null
  const isLost = heardAt !== null
  const now = useNow(1000)
  const waiting = open.filter(({ state }) => state === 'waiting')
  const accepted = open.filter(({ state }) => state === 'accepted')
  return (
    <section aria-label={t('Today')} className="flex min-w-0 flex-col gap-3">
      <div>
        <h2 className="text-2xl">
          {isLost ? t('Connection lost') : loaded ? waitingText(waiting.length) : t('Loading…')}
        </h2>
        <LiveLine screens={isLost ? null : screens} needed={listenersNeeded} />
        {isLost && (
          <p className="font-semibold text-late">
            {tRich('Last heard {time}.', { time: <TimeText at={toServerTime(heardAt)} /> })}{' '}
            {t('New requests don’t show here.')}
          </p>
        )}
      </div>
      {!loaded && <Spinner />}
      {loaded && !isLost && open.length === 0 && (
        <p className="rounded-ticket border border-dashed border-rule-strong px-4 py-3 text-center text-text-mute">
          {t('No active requests')}
        </p>
      )}
      <WaitingList requests={waiting.toSorted((a, b) => compareByUrgency(a, b, now))} {...{ people, now }} />
      <OnTheWay requests={accepted} now={now} />
    </section>
  )
}

const waitingText = (count: number): string =>
  count === 0
    ? t('No guest waits for an answer')
    : plural(count, '{count} guest waits for an answer', '{count} guests wait for an answer')

type LiveLineProps = { screens: number | null; needed: boolean | null }

function LiveLine({ screens, needed }: LiveLineProps): JSX.Element {
  const isLive = useConnection().state === 'live'
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-text-mute">
      <span aria-hidden className={classNames('size-3 rounded-full', isLive ? 'bg-done' : 'bg-late')} />
      <span role="status" className="font-semibold text-text">
        {t(isLive ? 'Live' : 'Reconnecting…')}
      </span>
      {screens !== null && (
        <span className={screens === 0 && needed ? 'font-semibold text-late' : undefined}>
          {screens === 0
            ? t('No screen is listening')
            : plural(screens, '{count} screen is listening', '{count} screens are listening')}
        </span>
      )}
    </p>
  )
}

type WaitingListProps = {
  requests: readonly ServiceRequest[]
  people: readonly CrewOnFloor[] | null
  now: number
}

function WaitingList({ requests, people, now }: WaitingListProps): JSX.Element | null {
  const { shown, toggle } = useFold(requests, useMedia('(width < 40rem)') ? maxShownOnPhone : maxShown)
  if (requests.length === 0) return null
  return (
    <>
      <ul className="flex flex-col gap-2">
        {shown.map((request) => (
          <WaitingTicket key={request.id} {...{ request, people, now }} />
        ))}
      </ul>
      {toggle}
    </>
  )
}

/** Large text on a phone has a line of its own, below the table and the time. */
const ownLineClass = 'max-[20rem]:order-last max-[20rem]:basis-full'

/** Its left edge fills with the time that has passed, until the target is reached. */
function WaitingTicket({
  request,
  people,
  now,
}: Omit<WaitingListProps, 'requests'> & { request: ServiceRequest }): JSX.Element {
  const { tableNumber, timestamp, asks, level } = request
  const waited = Math.max(0, now - timestamp)
  const heat = waited / targetMsOf(request)
  const isLate = heat >= 1
  return (
    <li
      className={classNames(
        'relative flex items-center gap-x-4 overflow-hidden rounded-ticket border py-2 ps-5 pe-4 sm:py-3',
        hasLongName(tableNumber) ? 'flex-wrap' : 'max-[20rem]:flex-wrap',
        isLate ? 'border-late/40 bg-plate-late' : 'border-rule bg-plate',
      )}
    >
      <span aria-hidden className="absolute inset-y-0 inset-s-0 flex w-1.5 flex-col justify-end bg-plate-2">
        <span
          className={isLate ? 'bg-late' : heat >= 0.6 ? 'bg-action' : 'bg-rule-strong'}
          style={{ height: `${Math.min(100, heat * 100)}%` }}
        />
      </span>
      <TableNumber table={tableNumber} />
      <span
        className={classNames(
          'min-w-0 flex-1 wrap-anywhere',
          hasLongName(tableNumber) ? 'order-last basis-full' : ownLineClass,
        )}
      >
        <span className="flex flex-wrap items-center gap-x-2 font-semibold">
          <RequestIcon request={request} size={20} /> {askedText(request)}
          {level === 2 && <Badge tone="late">{t('Raised')}</Badge>}
        </span>
        <span className="block text-text-mute">
          {ownerText(tableNumber, people)}
          {asks > 1 && ` · ${t('asked {count}×', { count: asks })}`}
        </span>
      </span>
      <span className={classNames('ms-auto font-display text-xl font-bold', isLate && 'text-late')}>
        {formatDuration(waited)}
      </span>
    </li>
  )
}

/** Too long for a column of its own: cut, the names of all tables of a terrace are the same. */
const hasLongName = (table: string): boolean => table.length > 8

function TableNumber({ table }: { table: string }): JSX.Element {
  return (
    <span
      className={classNames(
        'font-display leading-tight font-bold wrap-anywhere',
        table.length > 3 ? 'text-lg' : 'text-2xl',
        hasLongName(table) ? 'min-w-[min(8rem,100%)] flex-1' : 'w-16 shrink-0',
      )}
    >
      <span className="sr-only">{t('Table {table}', { table })}</span>
      <span aria-hidden className={hasLongName(table) ? undefined : 'line-clamp-2'}>
        {table}
      </span>
    </span>
  )
}

function ownerText(table: string, people: readonly CrewOnFloor[] | null): ReactNode {
  if (people === null) return t('nobody on it')
  const owner = people.find(({ tables }) => tables.includes(table))
  return owner
    ? tRich('{name}’s table, nobody on it', { name: <bdi>{firstName(owner.name)}</bdi> })
    : t('nobody’s table, nobody on it')
}

function OnTheWay({
  requests,
  now,
}: {
  requests: readonly ServiceRequest[]
  now: number
}): JSX.Element | null {
  if (requests.length === 0) return null
  return (
    <div className="px-2">
      <h3 className="font-sans text-base font-semibold">{t('On the way')}</h3>
      <ul className="flex flex-col divide-y divide-rule">
        {requests.slice(0, maxShown).map((request) => (
          <li key={request.id} className="flex items-center gap-x-3 py-2 max-[20rem]:flex-wrap">
            <strong className="min-w-10 wrap-anywhere">
              {t('Table {table}', { table: request.tableNumber })}
            </strong>
            <span className={classNames('min-w-0 flex-1 wrap-anywhere', ownLineClass)}>
              {askedText(request)}
            </span>
            <span className="text-text-mute wrap-anywhere">
              {request.acceptedBy && <bdi>{localName(request.acceptedBy.name, t)}</bdi>}
            </span>
            <span className="text-text-mute">{formatDuration(Math.max(0, now - request.timestamp))}</span>
          </li>
        ))}
      </ul>
      {requests.length > maxShown && (
        <p className="text-text-mute">{t('and {count} more', { count: requests.length - maxShown })}</p>
      )}
    </div>
  )
}
