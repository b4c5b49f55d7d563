import { type JSX, memo, useCallback, useMemo, useRef, useState } from 'react'
import type { PersonRef, ServiceRequest, ServiceType } from '#contract/requests.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { afterPaint } from '../../../lib/after-paint.ts'
import type { Chime, SoundState } from '../device/chime.ts'
import { HiddenTicketsLine } from './hidden-tickets-line.tsx'
import { lazyPart, useLazyDialog } from '../../../lib/lazy.tsx'
import { MutedTables } from './muted-tables.tsx'
import { RecentlyCompleted } from './recently-completed.tsx'
import { Ticket } from './ticket.tsx'
import { useActionWithUndo } from './use-action-with-undo.ts'
import { useAlerts } from './use-alerts.ts'
import { useWorkChangeAlerts } from './use-work-change-alerts.ts'
import { useMutedTables } from './use-muted-tables.ts'
import { useRenderLimit } from './use-render-limit.ts'
import { useRequests } from './use-requests.ts'
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
  /** Names of those for whom who works here covers. */
  covering: readonly string[]
  chime: Chime
  sound: SoundState
}

/** The open requests, and their alerts: what they change is rendered here and nowhere else. */
export const RequestList = memo(function RequestList(props: RequestListProps): JSX.Element {
  const { me, myTables, covering, chime, sound } = props
  const { loaded, open, recent, arrivedAt, unsent, conflict: outdone, act: send } = useRequests(me)
  const { holdToasts } = useAlerts({ open: loaded ? open : null, recent, me: me.id, chime, sound })
  useWorkChangeAlerts(
    useMemo(() => (loaded ? { open, recent, covering } : null), [loaded, open, recent, covering]),
    me.id,
    chime,
  )
  const [tab, setTab] = useState<Tab>('all')
  const list = useRef<HTMLUListElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const observe = useSeenRequests()
  const [shown, setShown] = useState(tab)
  const ofTab = useMemo(() => open.filter(({ serviceType }) => matchesTab(shown, serviceType)), [open, shown])
  const reach = useRenderLimit(shown, ofTab.length, end)
  const drawn = useMemo(() => ofTab.slice(0, reach), [ofTab, reach])

  /** The tab answers the tap at once, its tickets come with the next frame. */
  const choose = useCallback((next: Tab) => {
    setTab(next)
    afterPaint(() => setShown(next))
  }, [])
  const chooseTab = useCallback((index: number) => choose(tabNames[index] ?? 'all'), [choose])
  const mutes = useMutedTables()
  const muted = useMemo(() => new Set(mutes.all.map(({ tableNumber }) => tableNumber)), [mutes.all])
  const more = useLazyDialog()
  const [moreFor, setMoreFor] = useState('')
  const { show: showMore } = more
  const onMore = useCallback(
    (tableNumber: string) => {
      setMoreFor(tableNumber)
      showMore()
    },
    [showMore],
  )
  const actWithUndo = useActionWithUndo(send, holdToasts)
  const acts = useTicketActions(list, open, actWithUndo, chooseTab)

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
        {outdone}
      </p>
      <p role="status" className="sr-only">
        {unsent.size > 0 && `${unsent.size === 1 ? 'One tap waits' : `${unsent.size} taps wait`} to send`}
      </p>
      <MutedTables mutes={mutes} />
      <Tabs label="Filter requests" tabs={useTabsWithCounts(open)} value={tab} onChange={choose}>
        {!loaded && <Spinner />}
        {loaded && ofTab.length === 0 && (
          <p className="py-10 text-center text-text-mute">No active requests</p>
        )}
        <ul ref={list} onClickCapture={acts.ignoreSecondTap} className="tickets mt-2">
          {drawn.map((request) => (
            <Ticket
              key={request.id}
              request={request}
              mine={myTables.has(request.tableNumber)}
              muted={muted.has(request.tableNumber)}
              arrivedAt={arrivedAt.get(request.id) ?? null}
              unsent={unsent.get(request.id) ?? null}
              act={acts.act}
              observe={observe}
              onMore={onMore}
            />
          ))}
        </ul>
        <div ref={end} />
        <HiddenTicketsLine list={list} open={open} drawn={drawn} observe={observe} />
      </Tabs>
      <RecentlyCompleted recent={recent} act={actWithUndo} />
      {more.mounted && <MuteDrawer tableNumber={moreFor} mutes={mutes} {...more.props} />}
    </section>
  )
})

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
