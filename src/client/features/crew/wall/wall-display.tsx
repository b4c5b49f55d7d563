import './wall-display.css'
import Maximize from 'lucide-react/icons/maximize'
import Minimize from 'lucide-react/icons/minimize'
import X from 'lucide-react/icons/x'
import { type CSSProperties, type JSX, useCallback, useRef, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import type { ServiceRequest } from '#contract/requests.ts'
import { innerHeight, innerWidth, useMeasured } from '../../../lib/use-measured.ts'
import { useNow } from '../../../lib/use-now.ts'
import { useWakeLock } from '../../../lib/use-wake-lock.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { usePageFrame } from '../../../ui/page.tsx'
import { ConnectionStatus } from '../connection-status.tsx'
import { useAlerts } from '../requests/use-alerts.ts'
import { useLiveContexts } from '../use-live-contexts.ts'
import { useScreenSession } from '../picker/use-crew-member.ts'
import { anonymousCrew, useRequests } from '../requests/use-requests.ts'
import { type ObserveTicket, useSeenRequests } from '../requests/use-seen-requests.ts'
import { useChime } from '../device/use-chime.ts'
import { useLoginRedirect } from '../use-login-redirect.ts'
import { computeWallLayout } from './wall-layout.ts'
import { WallTicket } from './wall-ticket.tsx'

/** The open requests, to be read from across the room. To the server it is a screen like any other. */
export function WallDisplay(): JSX.Element {
  const { restaurantId, isSignedOut } = useScreenSession()
  const { open, recent, loaded, arrivedAt } = useRequests(anonymousCrew)
  const audio = useChime()
  useAlerts({ open: loaded ? open : null, recent, me: null, ...audio, toasts: false })
  useLiveContexts(restaurantId, { sound: audio.sound === 'on', push: false })
  useLoginRedirect(!isSignedOut)
  useWakeLock(true)
  const observe = useSeenRequests()
  const heading = usePageFrame('dark')

  const wall = useRef<HTMLUListElement>(null)
  const size = { width: useMeasured(wall, innerWidth), height: useMeasured(wall, innerHeight) }
  const { columns, rows, shown } = computeWallLayout(size, open.length)
  const hidden = open.slice(shown)
  const places: CSSProperties = {
    gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
    gridTemplateRows: `repeat(${rows}, minmax(0, 1fr))`,
  }
  return (
    <div className="flex h-dvh flex-col gap-4 overflow-hidden bg-ground p-4 text-text">
      <title>{`(${open.length}) Wall display · Tableside`}</title>
      <header className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <h1 ref={heading} tabIndex={-1} className="text-3xl outline-none">
          Service Requests
        </h1>
        <Badge tone={open.length > 0 ? 'action' : 'plain'} size="large">
          {open.length} Active
        </Badge>
        <div className="flex flex-wrap gap-x-6 text-xl">
          <ConnectionStatus />
          {audio.sound === 'locked' && <p className="text-text-mute">Tap anywhere for sound</p>}
        </div>
        <div className="ms-auto flex flex-wrap items-center gap-x-6 gap-y-2">
          <Clock />
          <Controls />
        </div>
      </header>
      <main className="relative min-h-0 flex-1">
        {loaded && open.length === 0 && (
          <p className="wall-clock absolute inset-0 grid place-items-center text-text-mute">
            No active requests
          </p>
        )}
        <ul ref={wall} aria-label="Open requests" className="grid size-full gap-3" style={places}>
          {open.slice(0, shown).map((request) => (
            <WallTicket
              key={request.id}
              request={request}
              arrivedAt={arrivedAt.get(request.id) ?? null}
              observe={observe}
            />
          ))}
          {hidden.length > 0 && (
            <MoreRequests key={`more ${open.length} ${hidden[0]?.id}`} requests={hidden} observe={observe} />
          )}
        </ul>
      </main>
    </div>
  )
}

/** The last cell of a full wall lists the requests that do not fit; they count as seen too. */
function MoreRequests({
  requests,
  observe,
}: {
  requests: readonly ServiceRequest[]
  observe: ObserveTicket
}): JSX.Element {
  const ids = requests.map(({ id }) => id).join(' ')
  return (
    <li
      ref={useCallback((item: HTMLLIElement) => observe(item), [observe])}
      data-requests={ids}
      className="wall-place rounded-ticket border border-rule"
    >
      <div className="grid h-full place-content-center gap-2 overflow-hidden p-2 text-center">
        <p className="wall-more font-display font-bold">+{requests.length} more</p>
        <p className="wall-text line-clamp-2 text-text-mute">
          {requests.map(({ tableNumber }) => tableNumber).join(' · ')}
        </p>
      </div>
    </li>
  )
}

function Clock(): JSX.Element {
  const now = useNow(1000)
  const time = new Date(now).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return <time className="wall-clock font-display font-bold">{time}</time>
}

function Controls(): JSX.Element {
  const [, navigate] = useLocation()
  const isFull = useFullScreen()
  const leave = (): void => {
    if (isFull) void document.exitFullscreen()
    navigate('/waiter')
  }
  return (
    <div className="flex flex-wrap gap-2">
      {document.fullscreenEnabled && (
        <Button
          variant="quiet"
          icon={isFull ? <Minimize aria-hidden /> : <Maximize aria-hidden />}
          onClick={() =>
            void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen())
          }
        >
          {isFull ? 'Exit full screen' : 'Full screen'}
        </Button>
      )}
      <Button variant="quiet" icon={<X aria-hidden />} onClick={leave}>
        Leave display
      </Button>
    </div>
  )
}

function useFullScreen(): boolean {
  return useSyncExternalStore(
    (changed) => {
      document.addEventListener('fullscreenchange', changed)
      return () => document.removeEventListener('fullscreenchange', changed)
    },
    () => document.fullscreenElement !== null,
  )
}
