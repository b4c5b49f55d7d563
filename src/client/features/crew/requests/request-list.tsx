import './tight-tickets.css'
import '../sections/section-filter.css'
import {
  type JSX,
  memo,
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import { firstName } from '#contract/names.ts'
import type { PersonRef, ServiceRequest } from '#contract/requests/requests.ts'
import { lazyPart } from '../../../lib/hooks/lazy.tsx'
import { useMedia } from '../../../lib/hooks/use-media.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { countRepeats } from '../alerts/repeats.ts'
import { useShownRequests } from '../alerts/watched-requests.ts'
import { coversTop } from '../covers.ts'
import { type MutedTablesState, useMutedTables } from '../tables/use-muted-tables.ts'
import { AcceptedLine } from './accepted-line.tsx'
import { ActiveCount } from './active-count.tsx'
import { sortForRail } from './rail-order.ts'
import { type Tab, RequestTabs } from './request-tabs.tsx'
import { useRequestsOnScreen } from './requests-provider.tsx'
import { Ticket } from './ticket.tsx'
import { useRequestFilter } from './use-request-filter.ts'
import type { ActOnRequest } from './use-requests.ts'
import { useTicketActions } from './use-ticket-actions.ts'

const NothingToDo = lazyPart(async () => (await import('../rail/nothing-to-do.tsx')).NothingToDo)
const HiddenTicketsLine = lazyPart(
  async () => (await import('../rail/hidden-tickets-line.tsx')).HiddenTicketsLine,
)
const SeenReport = lazyPart(async () => (await import('../alerts/seen-report.ts')).SeenReport)
const MutedTables = lazyPart(async () => (await import('../tables/muted-tables.tsx')).MutedTables)
const UnsentTaps = lazyPart(async () => (await import('../offline/unsent-taps.tsx')).UnsentTaps)
const SectionFilter = lazyPart(async () => (await import('../sections/section-filter.tsx')).SectionFilter)
const TableDrawer = lazyPart(async () => (await import('../tables/table-drawer.tsx')).TableDrawer)

type RequestListProps = {
  me: PersonRef
  myTables: ReadonlySet<string>
  /** The names of the crew by id. */
  names: ReadonlyMap<string, string>
  /** On a wide screen the title and the count stand beside the tabs, otherwise in the page's header. */
  wide: boolean
  /** Beside the choice of a section, where nobody has chosen a name. */
  nameButton: ReactNode
  /** Stays at the top together with the tabs. */
  banner?: ReactNode
  /** Tickets that are no guest's. */
  calls?: ReactNode
}

/** The rail: a ticket for each open request. */
export const RequestList = memo(function RequestList(props: RequestListProps): JSX.Element {
  const { me, myTables, names, wide, nameButton, banner, calls } = props
  const requests = useRequestsOnScreen()
  const { loaded, open, recent, arrivedAt, unsent, conflict, act: send } = requests
  const list = useRef<HTMLUListElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const [tab, setTab] = useState<Tab>('all')
  const { here, isFilterKnown, setFilter } = useRequestFilter(open, me.id)
  const elsewhere = open.length - here.length
  const shown = useShownRequests()
  const lately = useMemo(() => Map.groupBy(recent, ({ request }) => request.tableNumber), [recent])
  const onRail = useMemo(
    () =>
      sortForRail(
        here.filter(({ serviceType }) => tab === 'all' || tab === serviceType),
        me.id,
        unsent,
      ),
    [here, tab, me.id, unsent],
  )
  const limit = useRenderLimit(tab, onRail.length, end)
  const rendered = useMemo(() => onRail.slice(0, limit), [onRail, limit])
  const mutedTables = useMutedTables()
  const muted = useMemo(
    () => new Set(mutedTables.all.map(({ tableNumber }) => tableNumber)),
    [mutedTables.all],
  )
  const drawer = useRef<(request: ServiceRequest) => void>(null)
  const showMore = useCallback((request: ServiceRequest) => drawer.current?.(request), [])
  const { act, startTap, ignoreSecondTap, ...focus } = useTicketActions(list, onRail, send)

  // On a phone on its side every line counts.
  const low = useMedia('(height < 30rem) and (width >= 40rem)')
  const choices = (
    <div className="section-row">
      {nameButton}
      <SectionFilter me={me.id} hidden={elsewhere} onFilter={setFilter} />
    </div>
  )
  const renderHead = (row: JSX.Element): JSX.Element => (
    <div ref={coversTop} className="rail-head">
      {banner}
      <div className="rail-bar">
        <h2 id="requests" tabIndex={-1} className={wide ? 'text-2xl outline-none' : 'sr-only'}>
          {t('Service Requests')}
        </h2>
        {wide && <ActiveCount />}
        {row}
        {low && choices}
      </div>
    </div>
  )
  return (
    <section aria-labelledby="requests" className="rail">
      <title>{`(${open.length}) ${t('Crew Dashboard')} · Tableside`}</title>
      <RequestTabs open={here} value={tab} onChange={setTab} frame={renderHead}>
        {!low && choices}
        <p role="status" className="mb-2 rounded-control bg-plate-2 px-4 py-3 font-semibold empty:hidden">
          {conflict}
        </p>
        <UnsentTaps {...requests} me={me} />
        <p role="status" className="sr-only">
          {unsent.size > 0 && plural(unsent.size, 'One tap waits to send', '{count} taps wait to send')}
        </p>
        {mutedTables.all.length > 0 && <MutedTables mutedTables={mutedTables} />}
        {calls}
        {!loaded && <Spinner />}
        {loaded && onRail.length === 0 && (
          <NothingToDo last={open.length === 0 ? recent[0] : undefined} elsewhere={elsewhere} />
        )}
        <ul
          ref={list}
          onPointerDownCapture={startTap}
          onClickCapture={ignoreSecondTap}
          {...focus}
          className={low ? 'tickets tickets-low' : 'tickets'}
        >
          {rendered.map((request) => {
            const { id, tableNumber, crew, acceptedBy } = request
            const waitsToSend = unsent.get(id) ?? null
            const given = {
              request,
              act,
              observe: shown.tickets.observe,
              onMore: showMore,
              muted: muted.has(tableNumber),
            }
            if (acceptedBy && acceptedBy.id !== me.id && waitsToSend === null)
              return <AcceptedLine key={id} {...given} />
            return (
              <Ticket
                key={id}
                {...given}
                me={me}
                owner={
                  myTables.has(tableNumber) || crew.some((each) => each === me.id)
                    ? 'me'
                    : ownerOf(crew, names)
                }
                arrivedAt={arrivedAt.get(id) ?? null}
                unsent={waitsToSend}
                repeats={countRepeats(request, lately)}
              />
            )
          })}
        </ul>
        <div ref={end} />
        <HiddenTicketsLine open={here} rendered={rendered} {...shown} />
        {isFilterKnown && <SeenReport {...shown} />}
      </RequestTabs>
      <MoreDrawer ref={drawer} {...{ open, mutedTables }} act={send} />
    </section>
  )
})

/** The first name of the crew member who has the table; null if nobody has. */
function ownerOf(crew: readonly string[], names: ReadonlyMap<string, string>): string | null {
  const name = crew.map((id) => names.get(id)).find((known) => known !== undefined)
  return name === undefined ? null : firstName(name)
}

type MoreDrawerProps = {
  /** Opens it. */
  ref: Ref<(request: ServiceRequest) => void>
  open: readonly ServiceRequest[]
  mutedTables: MutedTablesState
  act: ActOnRequest
}

/** The list is not rendered again as it opens and closes. */
function MoreDrawer({ ref, open, mutedTables, act }: MoreDrawerProps): ReactNode {
  const { subject, open: show, props } = useDialog<ServiceRequest>()
  useImperativeHandle(ref, () => show, [show])
  const current = open.find(({ id }) => id === subject?.id)
  // Once it is closed, it stays as it was last, which may be at another table than when the drawer opened.
  const [last, setLast] = useState<ServiceRequest>()
  if (current && current !== last) setLast(current)
  const request = current ?? (last?.id === subject?.id ? last : subject)
  return request && <TableDrawer {...{ request, requests: open, act, mutedTables }} {...props} />
}

/** In CSS pixels: a ticket with the space below it, and everything above the first ticket. */
const ticketHeight = 156
const headerHeight = 124
const batchSize = 8

/** As many tickets as usually fit this screen. The others follow once these are painted. */
function initialLimit(): number {
  const columns = window.innerWidth >= 1280 || (window.innerWidth >= 768 && window.innerWidth < 1024) ? 2 : 1
  return Math.max(3, Math.ceil((window.innerHeight - headerHeight) / ticketHeight) * columns)
}

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
