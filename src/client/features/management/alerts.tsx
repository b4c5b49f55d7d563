import type { LucideIcon } from 'lucide-react'
import BellRing from 'lucide-react/icons/bell-ring'
import EarOff from 'lucide-react/icons/ear-off'
import { type JSX, type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { type ServiceRequest, serviceTypeLabels } from '#contract/requests.ts'
import { formatDuration } from '../../lib/format.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { useNow } from '../../lib/use-now.ts'

/** `screens`: how many are listening; null until known. */
type NoListenersAlertProps = { screens: number | null; ring: () => void }

/** Rings when the last listening screen goes away, not if there was none when this page opened. */
export function NoListenersAlert({ screens, ring }: NoListenersAlertProps): JSX.Element {
  const previous = useRef<number | null>(null)
  useEffect(() => {
    if (screens === 0 && previous.current !== null && previous.current > 0) ring()
    previous.current = screens
  }, [screens, ring])

  return (
    <div role="alert" className="contents">
      {screens === 0 && (
        <AlertBanner icon={EarOff} title="Nobody is listening">
          <p>No crew screen is listening right now. Guests are told to wave.</p>
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
          title={
            requests.some(({ state }) => state === 'waiting') ? 'Nobody has taken this yet' : 'Still waiting'
          }
        >
          <ul>
            {requests.map(({ id, tableNumber, serviceType, timestamp, acceptedBy, stillWaiting = 0 }) => (
              <li key={id} className="wrap-anywhere">
                <strong>Table {tableNumber}</strong>
                {` · ${serviceTypeLabels[serviceType]} `}
                {stillWaiting > 0 && `· guest still waiting ${stillWaiting}× `}
                {acceptedBy && `· ${acceptedBy.name} is on the way `}
                {/* Announced once, not every second. */}
                <span aria-hidden className="font-semibold text-late">
                  · waiting {formatDuration(Math.max(0, now - timestamp))}
                </span>
              </li>
            ))}
          </ul>
        </AlertBanner>
      )}
    </div>
  )
}

type AlertBannerProps = { icon: LucideIcon; title: string; children: ReactNode }

function AlertBanner({ icon: Icon, title, children }: AlertBannerProps): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-ticket border-2 border-late bg-plate-late px-4 py-3 sm:px-6">
      <Icon aria-hidden size={28} className="shrink-0 text-late" />
      <div className="min-w-[min(12rem,100%)] flex-1">
        <p className="font-display text-xl font-bold">{title}</p>
        {children}
      </div>
      <Link href="/waiter" asChild>
        <LinkButton variant="primary">Open Crew Dashboard</LinkButton>
      </Link>
    </div>
  )
}
