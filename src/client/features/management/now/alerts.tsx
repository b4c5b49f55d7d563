import type { LucideIcon } from 'lucide-react'
import BellRing from 'lucide-react/icons/bell-ring'
import EarOff from 'lucide-react/icons/ear-off'
import { type JSX, type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { localName } from '#contract/names.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { askedText } from '../../../lib/texts/asked-text.ts'
import { formatDuration } from '../../../lib/texts/format.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { LinkButton } from '../../../ui/link-button.tsx'

/** So that what a manager looks for stays in sight below it; the list of who waits has them all. */
const maxShown = 2

type NoListenersAlertProps = {
  /** How many are listening; null until known. */
  screens: number | null
  /** Whether a guest waits or the restaurant is open: at other times nobody has to listen. Null until known. */
  needed: boolean | null
  /** Whether an alert below leads to the crew's screen as well. */
  isFollowed: boolean
  ring: () => void
}

/** Rings when the last listener leaves or when listening becomes necessary, but not for what was so when this page opened. */
export function NoListenersAlert({ screens, needed, isFollowed, ring }: NoListenersAlertProps): JSX.Element {
  const isMissing = screens === null || needed === null ? null : screens === 0 && needed
  const previous = useRef<boolean | null>(null)
  useEffect(() => {
    if (isMissing === true && previous.current === false) ring()
    previous.current = isMissing
  }, [isMissing, ring])

  return (
    <div role="alert" className="contents">
      {isMissing === true && (
        <AlertBanner icon={EarOff} title={t('Nobody is listening')} hasLink={!isFollowed}>
          <p>{t('No crew screen is listening right now. Guests are told to wave.')}</p>
        </AlertBanner>
      )}
    </div>
  )
}

type EscalationAlertProps = { requests: readonly ServiceRequest[]; ring: () => void }

/** Rings once for each escalated request, and again each time its guest says they are still waiting. */
export function EscalationAlert({ requests, ring }: EscalationAlertProps): JSX.Element {
  const now = useNow(1000)
  const rung = useRef<ReadonlyMap<string, number>>(new Map())
  useEffect(() => {
    if (requests.some(({ id, stillWaiting = 0 }) => stillWaiting > (rung.current.get(id) ?? -1))) ring()
    rung.current = new Map(requests.map(({ id, stillWaiting = 0 }) => [id, stillWaiting]))
  }, [requests, ring])

  return (
    <div role="alert" className="contents">
      {requests.length > 0 && (
        <AlertBanner
          icon={BellRing}
          title={t(
            requests.some(({ state }) => state === 'waiting') ? 'Nobody has taken this yet' : 'Still waiting',
          )}
          hasLink
        >
          <ul>
            {requests
              .slice(0, maxShown)
              .map(({ id, tableNumber, timestamp, acceptedBy, stillWaiting = 0, ...asked }) => (
                <li key={id} className="wrap-anywhere">
                  <strong>{t('Table {table}', { table: tableNumber })}</strong>
                  {' · '}
                  <bdi>{askedText(asked)}</bdi>{' '}
                  {stillWaiting > 0 && `· ${t('guest still waiting {count}×', { count: stillWaiting })} `}
                  {acceptedBy && (
                    <>
                      ·{' '}
                      {tRich('{name} is on the way', {
                        name: <bdi>{localName(acceptedBy.name, t)}</bdi>,
                      })}{' '}
                    </>
                  )}
                  {/* Announced once, not every second. */}
                  <span aria-hidden className="font-semibold text-late">
                    · {t('waiting {time}', { time: formatDuration(Math.max(0, now - timestamp)) })}
                  </span>
                </li>
              ))}
          </ul>
          {requests.length > maxShown && (
            <p>{t('and {count} more', { count: requests.length - maxShown })}</p>
          )}
        </AlertBanner>
      )}
    </div>
  )
}

type AlertBannerProps = { icon: LucideIcon; title: string; hasLink: boolean; children: ReactNode }

function AlertBanner({ icon: Icon, title, hasLink, children }: AlertBannerProps): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-ticket border-2 border-late bg-plate-late px-4 py-3 sm:px-6">
      <Icon aria-hidden size={28} className="shrink-0 text-late max-sm:hidden" />
      <div className="min-w-[min(12rem,100%)] flex-1">
        <p className="font-display text-xl font-bold">
          <Icon aria-hidden size={22} className="me-2 inline-block align-[-0.15em] text-late sm:hidden" />
          {title}
        </p>
        {children}
      </div>
      {hasLink && (
        <Link href="/waiter" asChild>
          <LinkButton variant="primary">{t('Open Crew Dashboard')}</LinkButton>
        </Link>
      )}
    </div>
  )
}
