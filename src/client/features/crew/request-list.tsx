import { type JSX, useCallback, useMemo, useRef, useState } from 'react'
import type { ServiceRequest } from '#contract/requests.ts'
import { Badge } from '../../ui/badge.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { RecentlyCompleted } from './recently-completed.tsx'
import { Ticket } from './ticket.tsx'
import type { Requests } from './use-requests.ts'
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

export type RequestListProps = {
  requests: Requests
  myTables: ReadonlySet<string>
}

export function RequestList({ requests, myTables }: RequestListProps): JSX.Element {
  const { open, loaded, act, arrivedAt, recent } = requests
  const [tab, setTab] = useState<Tab>('all')
  const list = useRef<HTMLUListElement>(null)
  const observe = useSeen()
  const counts = useMemo(() => countByTab(open), [open])

  const chooseTab = useCallback((index: number) => setTab(tabNames[index] ?? 'all'), [])
  const acts = useTicketActs(list, open, act, chooseTab)

  return (
    <section aria-labelledby="requests" className="@container flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="requests" tabIndex={-1} className="text-xl outline-none">
          Service Requests
        </h2>
        <Badge tone={open.length > 0 ? 'action' : 'plain'} size="large">
          {open.length} Active
        </Badge>
      </div>
      <Tabs
        label="Filter requests"
        tabs={tabNames.map((value) => ({
          value,
          label: tabs[value],
          description: `${counts[value]} open`,
        }))}
        value={tab}
        onChange={setTab}
      >
        {!loaded && <Spinner />}
        {loaded && counts[tab] === 0 && (
          <p className="py-10 text-center text-text-mute">No active requests</p>
        )}
        <ul ref={list} data-tab={tab} onClickCapture={acts.ignoreSecondTap} className="tickets mt-2">
          {open.map((request) => (
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
      </Tabs>
      <RecentlyCompleted recent={recent} act={act} />
    </section>
  )
}

function countByTab(open: readonly ServiceRequest[]): Record<Tab, number> {
  const counts = { all: open.length, drinks: 0, food: 0, check: 0, assistance: 0, other: 0 }
  for (const { serviceType } of open) if (serviceType !== 'general') counts[serviceType] += 1
  return counts
}
