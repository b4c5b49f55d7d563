import {
  type JSX,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { PersonRef, ServiceRequest, ServiceType } from '#contract/requests.ts'
import { useLive } from '../../../api/use-live.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { afterPaint } from '../../../lib/after-paint.ts'
import type { Chime, SoundState } from '../device/chime.ts'
import { HiddenTicketsLine } from './hidden-tickets-line.tsx'
import { lazyPart, useLazyDialog } from '../../../lib/lazy.tsx'
import { MutedTables } from './muted-tables.tsx'
import { RecentlyCompleted } from './recently-completed.tsx'
import { Ticket } from './ticket.tsx'
import { useAlerts } from './use-alerts.ts'
import { useWorkChangeAlerts } from './work-changes.ts'
import { type TableMutes, useMutedTables } from './use-muted-tables.ts'
import { type ActOnRequest, useRequests } from './use-requests.ts'
import { useSeenRequests } from './use-seen-requests.ts'
import { useTicketActions } from './use-ticket-actions.ts'

const MuteDrawer = lazyPart(async () => (await import('./mute-drawer.tsx')).MuteDrawer)

const tabs = {
  all: 'All',
  drinks: 'Drinks',
  food: 'Food',
  check: 'Check',
  assistance: 'Help',
  other: 'Other',
} as const
type Tab = keyof typeof tabs
const tabNames: readonly Tab[] = ['all', 'drinks', 'food', 'check', 'assistance', 'other']

type RequestListProps = {
  me: PersonRef
  myTables: ReadonlySet<string>
  /** The names of the colleagues `me` covers for. */
  covering: readonly string[]
  chime: Chime
  sound: SoundState
}

/** The open requests and their alerts. Their changes re-render nothing outside this component. */
export const RequestList = memo(function RequestList(props: RequestListProps): JSX.Element {
  const { me, myTables, covering, chime, sound } = props
  const { loaded, open, recent, arrivedAt, unsent, conflict, act: send } = useRequests(me)
  const { holdToasts } = useAlerts({ open: loaded ? open : null, recent, me: me.id, chime, sound })
  useWorkChangeAlerts(
    useMemo(() => (loaded ? { open, recent, covering } : null), [loaded, open, recent, covering]),
    me.id,
    chime,
  )
  const list = useRef<HTMLUListElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const observe = useSeenRequests()
  const { tab, chooseTab, ofTab, rendered } = useTicketTab(open, end)
  const chooseTabAt = useCallback((index: number) => chooseTab(tabNames[index] ?? 'all'), [chooseTab])
  const mutes = useMutedTables()
  const muted = useMemo(() => new Set(mutes.all.map(({ tableNumber }) => tableNumber)), [mutes.all])
  const muteDrawer = useMuteDrawer(mutes)
  const actWithUndo = useActionWithUndo(send, holdToasts)
  const { act, ignoreSecondTap } = useTicketActions(list, open, actWithUndo, chooseTabAt)

  return (
    <section aria-labelledby="requests" className="flex min-w-0 flex-col gap-2">
      <title>{`(${open.length}) Crew Dashboard · Tableside`}</title>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="requests" tabIndex={-1} className="text-xl outline-none">
          Service Requests
        </h2>
        <Badge tone={open.length > 0 ? 'action' : 'plain'} size="large">
          {open.length} Active
        </Badge>
      </div>
      <p role="status" className="rounded-control bg-plate-2 px-4 py-3 font-semibold empty:hidden">
        {conflict}
      </p>
      <p role="status" className="sr-only">
        {unsent.size > 0 && `${unsent.size === 1 ? 'One tap waits' : `${unsent.size} taps wait`} to send`}
      </p>
      <MutedTables mutes={mutes} />
      <Tabs label="Filter requests" tabs={useTabsWithCounts(open)} value={tab} onChange={chooseTab}>
        {!loaded && <Spinner />}
        {loaded && ofTab.length === 0 && (
          <p className="py-10 text-center text-text-mute">No active requests</p>
        )}
        <ul ref={list} onClickCapture={ignoreSecondTap} className="tickets mt-2">
          {rendered.map((request) => (
            <Ticket
              key={request.id}
              request={request}
              mine={myTables.has(request.tableNumber)}
              muted={muted.has(request.tableNumber)}
              arrivedAt={arrivedAt.get(request.id) ?? null}
              unsent={unsent.get(request.id) ?? null}
              act={act}
              observe={observe}
              onMore={muteDrawer.show}
            />
          ))}
        </ul>
        <div ref={end} />
        <HiddenTicketsLine list={list} open={open} rendered={rendered} observe={observe} />
      </Tabs>
      <RecentlyCompleted recent={recent} act={actWithUndo} />
      {muteDrawer.drawer}
    </section>
  )
})

type TicketTab = {
  tab: Tab
  chooseTab: (tab: Tab) => void
  ofTab: readonly ServiceRequest[]
  /** Those of the tab whose tickets are rendered. */
  rendered: readonly ServiceRequest[]
}

/** The tab reacts to the tap at once; its tickets follow in the next frame. `end`: where the list ends. */
function useTicketTab(open: readonly ServiceRequest[], end: RefObject<HTMLElement | null>): TicketTab {
  const [tab, setTab] = useState<Tab>('all')
  const [shownTab, setShownTab] = useState(tab)
  const ofTab = useMemo(
    () => open.filter(({ serviceType }) => matchesTab(shownTab, serviceType)),
    [open, shownTab],
  )
  const limit = useRenderLimit(shownTab, ofTab.length, end)
  const rendered = useMemo(() => ofTab.slice(0, limit), [ofTab, limit])
  const chooseTab = useCallback((next: Tab) => {
    setTab(next)
    afterPaint(() => setShownTab(next))
  }, [])
  return { tab, chooseTab, ofTab, rendered }
}

function useMuteDrawer(mutes: TableMutes): { show: (tableNumber: string) => void; drawer: ReactNode } {
  const { mounted, show: open, props } = useLazyDialog()
  const [tableNumber, setTableNumber] = useState('')
  const show = useCallback(
    (next: string) => {
      setTableNumber(next)
      open()
    },
    [open],
  )
  return { show, drawer: mounted && <MuteDrawer tableNumber={tableNumber} mutes={mutes} {...props} /> }
}

const matchesTab = (tab: Tab, type: ServiceType): boolean => tab === 'all' || tab === type

const useTabsWithCounts = (
  open: readonly ServiceRequest[],
): { value: Tab; label: string; description: string }[] =>
  useMemo(
    () =>
      tabNames.map((value) => {
        const count = open.filter(({ serviceType }) => matchesTab(value, serviceType)).length
        return { value, label: tabs[value], description: `${count} open` }
      }),
    [open],
  )

const undoToastMs = 5000

/** Completing a request shows a toast that offers to undo it. */
function useActionWithUndo(act: ActOnRequest, holdToasts: (ms: number) => void): ActOnRequest {
  const live = useLive()
  const { toast, dismiss } = useToast()
  return useCallback(
    (action, request) => {
      act(action, request)
      const title = `Table ${request.tableNumber} complete`
      if (action === 'reopen') dismiss(title)
      if (action !== 'complete') return
      holdToasts(undoToastMs)
      const isLive = live.connection.state === 'live'
      afterPaint(() =>
        toast({
          title,
          ...(!isLive && { description: 'It will be sent when the connection is back.' }),
          action: { label: 'Undo', onClick: () => act('reopen', request) },
        }),
      )
    },
    [act, live, holdToasts, toast, dismiss],
  )
}

/** In CSS pixels: a two-line ticket with its margin, and everything above the first ticket. */
const ticketHeight = 200
const headerHeight = 200
const batchSize = 8

/** As many tickets as usually fit a screen of this height. The others follow once these are painted. */
const initialLimit = (): number => Math.max(3, Math.ceil((window.innerHeight - headerHeight) / ticketHeight))

/**
 * How many tickets of the tab are rendered. The limit grows when the end of the list is less than a screen away: with
 * hundreds waiting, a tap must not pay for those out of sight.
 */
function useRenderLimit(tab: string, count: number, end: RefObject<HTMLElement | null>): number {
  const [initial] = useState(initialLimit)
  const [grown, setGrown] = useState({ tab, limit: initial })
  const limit = grown.tab === tab ? grown.limit : initial
  const hasMore = count > limit
  useEffect(() => {
    if (!hasMore || !end.current) return undefined
    const grow = (): void => setGrown({ tab, limit: limit + batchSize })
    if (typeof IntersectionObserver === 'undefined') return grow()
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && grow(), {
      rootMargin: '100%',
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [tab, limit, hasMore, end])
  return limit
}
