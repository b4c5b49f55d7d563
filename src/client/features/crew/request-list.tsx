import { type JSX, memo, useCallback, useMemo, useRef, useState } from 'react'
import type { By, ServiceRequest, ServiceType } from '#contract/requests.ts'
import { Badge } from '../../ui/badge.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { afterPaint } from './after-paint.ts'
import type { Chime, Sound } from './chime.ts'
import { RecentlyCompleted } from './recently-completed.tsx'
import { Ticket } from './ticket.tsx'
import { useActWithUndo } from './use-act-with-undo.ts'
import { useAlerts } from './use-alerts.ts'
import { useReach } from './use-reach.ts'
import { useRequests } from './use-requests.ts'
import { useSeen } from './use-seen.ts'
import { useTicketActs } from './use-ticket-acts.ts'

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
  me: By
  myTables: ReadonlySet<string>
  chime: Chime
  sound: Sound
}

/** The open requests, and their alerts: what they change is rendered here and nowhere else. */
export const RequestList = memo(function RequestList(props: RequestListProps): JSX.Element {
  const { me, myTables, chime, sound } = props
  const { loaded, open, recent, arrivedAt, act: send } = useRequests(me)
  const { holdToasts } = useAlerts({ open: loaded ? open : null, me: me.id, chime, sound })
  const [tab, setTab] = useState<Tab>('all')
  const list = useRef<HTMLUListElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const observe = useSeen()
  const [shown, setShown] = useState(tab)
  const ofTab = useMemo(() => open.filter(({ serviceType }) => isIn(shown, serviceType)), [open, shown])
  const reach = useReach(shown, ofTab.length, end)

  /** The tab answers the tap at once, its tickets come with the next frame. */
  const choose = useCallback((next: Tab) => {
    setTab(next)
    afterPaint(() => setShown(next))
  }, [])
  const chooseTab = useCallback((index: number) => choose(tabNames[index] ?? 'all'), [choose])
  const acts = useTicketActs(list, open, useActWithUndo(send, holdToasts), chooseTab)

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
      <Tabs label="Filter requests" tabs={useTabs(open)} value={tab} onChange={choose}>
        {!loaded && <Spinner />}
        {loaded && ofTab.length === 0 && (
          <p className="py-10 text-center text-text-mute">No active requests</p>
        )}
        <ul ref={list} onClickCapture={acts.ignoreSecondTap} className="tickets mt-2">
          {ofTab.slice(0, reach).map((request) => (
            <Ticket
              key={request.id}
              request={request}
              mine={myTables.has(request.tableNumber)}
              arrivedAt={arrivedAt.get(request.id) ?? null}
              act={acts.act}
              observe={observe}
            />
          ))}
        </ul>
        <div ref={end} />
      </Tabs>
      <RecentlyCompleted recent={recent} act={send} />
    </section>
  )
})

const isIn = (tab: Tab, type: ServiceType): boolean => tab === 'all' || tab === type

const useTabs = (open: readonly ServiceRequest[]): { value: Tab; label: string; description: string }[] =>
  useMemo(
    () =>
      tabNames.map((value) => {
        const count = open.filter(({ serviceType }) => isIn(value, serviceType)).length
        return { value, label: tabs[value], description: `${count} open` }
      }),
    [open],
  )
