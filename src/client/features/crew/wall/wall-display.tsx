import './wall-display.css'
import Maximize from 'lucide-react/icons/maximize'
import Minimize from 'lucide-react/icons/minimize'
import X from 'lucide-react/icons/x'
import {
  type ComponentProps,
  type CSSProperties,
  type JSX,
  memo,
  type MouseEvent,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useLocation } from 'wouter'
import { minuteMs } from '#contract/durations.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { useWakeLock } from '../../../lib/browser/use-wake-lock.ts'
import { afterPaint } from '../../../lib/hooks/after-paint.ts'
import { lazyPart } from '../../../lib/hooks/lazy.tsx'
import { innerHeight, innerWidth, useMeasured } from '../../../lib/hooks/use-measured.ts'
import { useTimeout } from '../../../lib/hooks/use-timeout.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatTime } from '../../../lib/time/dates.ts'
import { showTime } from '../../../lib/time/ticker.ts'
import { Button } from '../../../ui/button.tsx'
import { usePageFrame } from '../../../ui/page/page.tsx'
import { useAlerts } from '../alerts/use-alerts.ts'
import { type ObserveRequest, useShownRequests } from '../alerts/watched-requests.ts'
import { ConnectionStatus, useIsLost } from '../connection-status.tsx'
import { useAlarmSet, useChime } from '../device/use-chime.ts'
import { useScreenSession } from '../picker/use-crew-member.ts'
import { ActiveBadge } from '../requests/active-count.tsx'
import { useRequestFilter } from '../requests/use-request-filter.ts'
import { anonymousCrew, useRequests } from '../requests/use-requests.ts'
import { useLiveContexts } from '../use-live-contexts.ts'
import { useLoginRedirect } from '../use-login-redirect.ts'
import { computeWallLayout } from './wall-layout.ts'
import { WallLine, WallTicket } from './wall-ticket.tsx'

const OfflineBanner = lazyPart(async () => (await import('../offline/offline-banner.tsx')).OfflineBanner)
const SeenReport = lazyPart(async () => (await import('../alerts/seen-report.ts')).SeenReport)
const DoneToday = lazyPart(async () => (await import('./done-today.tsx')).DoneToday)
const SectionFilter = lazyPart(async () => (await import('../sections/section-filter.tsx')).SectionFilter)

/** The open requests, to be read from across the room. To the server it is a screen like any other. */
export function WallDisplay(): JSX.Element {
  const { restaurantId, isSignedOut } = useScreenSession()
  const { open, recent, loaded, arrivedAt } = useRequests(anonymousCrew)
  const audio = useChime()
  useAlarmSet(audio.chime)
  useAlerts({ open: loaded ? open : null, recent, me: null, ...audio, toasts: 'none' })
  useLiveContexts(restaurantId, { sound: audio.sound === 'on', push: false })
  useLoginRedirect(!isSignedOut)
  useWakeLock(true)
  const isLost = useIsLost()
  const heading = usePageFrame('dark')
  const { isInUse, ignoreWakingTap } = useRecentInput()

  const wall = useRef<HTMLUListElement>(null)
  const size = { width: useMeasured(wall, innerWidth), height: useMeasured(wall, innerHeight) }
  const { here, isFilterKnown, setFilter } = useRequestFilter(open, null)
  const requestsShown = useShownRequests()
  const { observe } = requestsShown.tickets
  const observeName = requestsShown.names.observe
  const elsewhere = open.length - here.length
  const waiting = useMemo(() => here.filter(({ acceptedBy }) => !acceptedBy), [here])
  const { columns, rows, shown } = computeWallLayout(size, waiting.length)
  const more = useMemo(() => waiting.slice(shown), [waiting, shown])
  const places: CSSProperties = {
    gridTemplateColumns: columnsOf(columns),
    gridTemplateRows: `repeat(${rows}, minmax(0, 1fr))`,
  }
  return (
    <div className="wall" data-in-use={isInUse || undefined}>
      <title>{`(${open.length}) ${t('Wall display')} · Tableside`}</title>
      <header className="relative flex flex-wrap items-center gap-x-6 gap-y-2">
        <h1 ref={heading} tabIndex={-1} className="text-3xl outline-none">
          {t('Service Requests')}
        </h1>
        <ActiveBadge open={open} />
        <div className="flex flex-wrap gap-x-6 text-xl">
          <ConnectionStatus hasBanner />
          {audio.sound === 'locked' && <p className="text-text-mute">{t('Tap anywhere for sound')}</p>}
        </div>
        {isFilterKnown && <SeenReport {...requestsShown} />}
        <SectionFilter me={null} hidden={elsewhere} onFilter={setFilter} />
        <div className="wall-end">
          <div className="wall-beneath flex flex-wrap items-center gap-x-6 gap-y-2">
            <bdi className="text-xl text-text-mute">{restaurantId}</bdi>
            <Clock />
          </div>
          <Controls onClickCapture={ignoreWakingTap} />
        </div>
        <div className="basis-full">
          <OfflineBanner onWall />
        </div>
      </header>
      <main className="flex min-h-0 flex-1 flex-col gap-3">
        <div className="relative min-h-0 flex-1">
          {loaded && !isLost && here.length === 0 && (
            <p className="wall-clock absolute inset-0 grid place-items-center text-text-mute">
              {elsewhere === 0 ? t('No active requests') : t('{count} elsewhere', { count: elsewhere })}
            </p>
          )}
          <ul ref={wall} aria-label={t('Open requests')} className="grid size-full gap-4" style={places}>
            {waiting.slice(0, shown).map((request) => (
              <WallTicket
                key={request.id}
                request={request}
                arrivedAt={arrivedAt.get(request.id) ?? null}
                observe={observe}
              />
            ))}
            <MoreRequests requests={more} observe={observeName} />
          </ul>
        </div>
        <Foot
          requests={here.filter(({ acceptedBy }) => acceptedBy)}
          columns={columns}
          observe={observe}
          observeName={observeName}
          done={<DoneToday latest={`${recent.length} ${recent[0]?.request.id}`} />}
        />
      </main>
    </div>
  )
}

const columnsOf = (count: number): string => `repeat(${count}, minmax(0, 1fr))`

type HiddenRequestsProps = { requests: readonly ServiceRequest[]; observe: ObserveRequest }

/** The last cell of a full row or wall counts the requests that do not fit, and names as many as it has room for. */
const MoreRequests = memo(function MoreRequests({
  requests,
  observe,
}: HiddenRequestsProps): JSX.Element | null {
  if (requests.length === 0) return null
  return (
    <li className="wall-more wall-place">
      <div>
        <p className="wall-more-count">{t('+{count} more', { count: requests.length })}</p>
        <p className="wall-more-names">
          {requests.map(({ id, tableNumber }) => (
            <MoreName key={id} id={id} tableNumber={tableNumber} observe={observe} />
          ))}
        </p>
      </div>
    </li>
  )
})

type MoreNameProps = Pick<ServiceRequest, 'id' | 'tableNumber'> & { observe: ObserveRequest }

function MoreName({ id, tableNumber, observe }: MoreNameProps): JSX.Element {
  return <span ref={useCallback((name: HTMLElement) => observe(name, id), [observe, id])}>{tableNumber}</span>
}

type FootProps = HiddenRequestsProps & { columns: number; observeName: ObserveRequest; done: JSX.Element }

/** Where the crew is going, and what is done already where that leaves room. */
function Foot({ requests, columns, observe, observeName, done }: FootProps): JSX.Element {
  const heading = useId()
  if (requests.length === 0) return done
  const shown = requests.length <= columns ? columns : columns - 1
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading} className="wall-label mb-2">
        {t('On the way')}
      </h2>
      <div className="grid gap-4" style={{ gridTemplateColumns: columnsOf(columns) }}>
        <ul className="contents">
          {requests.slice(0, shown).map((request) => (
            <WallLine key={request.id} request={request} observe={observe} />
          ))}
          <MoreRequests requests={requests.slice(shown)} observe={observeName} />
        </ul>
        {requests.length < columns && done}
      </div>
    </section>
  )
}

function Clock(): JSX.Element {
  const show = useCallback(
    (clock: HTMLParagraphElement) =>
      showTime((now) => {
        clock.textContent = formatTime(now)
        return (Math.floor(now / minuteMs) + 1) * minuteMs
      }),
    [],
  )
  return <p ref={show} className="wall-clock font-display font-bold" />
}

/** They are out of sight while nobody touches the device, but the keyboard and screen readers reach them. */
function Controls({ onClickCapture }: Pick<ComponentProps<'div'>, 'onClickCapture'>): JSX.Element {
  const [, navigate] = useLocation()
  const isFull = useFullScreen()
  const leave = (): void => {
    if (isFull) void document.exitFullscreen()
    afterPaint(() => navigate('/waiter'))
  }
  return (
    <div className="wall-controls" onClickCapture={onClickCapture}>
      {document.fullscreenEnabled && (
        <Button
          variant="quiet"
          icon={isFull ? <Minimize aria-hidden /> : <Maximize aria-hidden />}
          onClick={() =>
            void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen())
          }
        >
          <span className="max-lg:sr-only">{isFull ? t('Exit full screen') : t('Full screen')}</span>
        </Button>
      )}
      <Button variant="quiet" icon={<X aria-hidden />} onClick={leave}>
        <span className="max-lg:sr-only">{t('Leave display')}</span>
      </Button>
    </div>
  )
}

const inUseMs = 5000

type RecentInput = {
  /** Somebody used a pointer, a finger or a key in the last five seconds, or opened the page. */
  isInUse: boolean
  /** The tap that brings the controls back must not press one of them. */
  ignoreWakingTap: (event: MouseEvent) => void
}

function useRecentInput(): RecentInput {
  const [isInUse, setInUse] = useState(true)
  const isWakingTap = useRef(false)
  const startTimeout = useTimeout()
  useEffect(() => {
    const listening = new AbortController()
    const { signal } = listening
    let isIdle = false
    const note = (): void => {
      isIdle = false
      setInUse(true)
      startTimeout(inUseMs, () => {
        isIdle = true
        setInUse(false)
      })
    }
    const press = (): void => {
      isWakingTap.current = isIdle
      note()
    }
    addEventListener('pointerdown', press, { signal })
    addEventListener('pointermove', note, { signal })
    addEventListener('keydown', note, { signal })
    note()
    return () => listening.abort()
  }, [startTimeout])
  const ignoreWakingTap = useCallback((event: MouseEvent) => {
    // A key presses a button without a pointer.
    if (isWakingTap.current && event.detail > 0) event.stopPropagation()
  }, [])
  return { isInUse, ignoreWakingTap }
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
