import { type JSX, type MouseEvent, useCallback, useMemo, useRef, useState } from 'react'
import type { ServiceRequest } from '#contract/requests.ts'
import { Badge } from '../../ui/badge.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { RecentlyCompleted } from './recently-completed.tsx'
import { Ticket } from './ticket.tsx'
import type { Act, Requests } from './use-requests.ts'
import { useSeen } from './use-seen.ts'

const tabs = {
  all: 'All',
  drinks: 'Drinks',
  food: 'Food',
  check: 'Check',
  assistance: 'Help',
  other: 'Other',
} as const
type Tab = keyof typeof tabs
const doubleTapMs = 350
const tabNames: readonly Tab[] = ['all', 'drinks', 'food', 'check', 'assistance', 'other']

export type RequestListProps = {
  requests: Requests
  myTables: ReadonlySet<string>
}

export function RequestList({ requests, myTables }: RequestListProps): JSX.Element {
  const { open, loaded, act, arrivedAt, recent } = requests
  const [tab, setTab] = useState<Tab>('all')
  const list = useRef<HTMLUListElement>(null)
  const completed = useRef({ id: '', at: -Infinity })
  const observe = useSeen()
  const counts = useMemo(() => countByTab(open), [open])

  const actAndKeepFocus = useCallback<Act>(
    (action, request) => {
      if (action === 'complete') {
        focusNext(list.current, request.id)
        completed.current = { id: request.id, at: performance.now() }
      }
      if (action === 'accept' || action === 'release') keepFocus(list.current, request.id)
      act(action, request)
    },
    [act],
  )

  /** The second half of a double tap would land on the ticket that moved up. */
  function ignoreSecondTap(event: MouseEvent): void {
    const { id, at } = completed.current
    const { detail, target } = event
    const isOther = target instanceof Element && !target.closest(`[data-request='${CSS.escape(id)}']`)
    if (detail > 0 && isOther && performance.now() - at < doubleTapMs) event.stopPropagation()
  }

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
        <ul ref={list} data-tab={tab} onClickCapture={ignoreSecondTap} className="tickets mt-2">
          {open.map((request) => (
            <Ticket
              key={request.id}
              request={request}
              mine={myTables.has(request.tableNumber)}
              arrivedAt={arrivedAt.get(request.id) ?? null}
              act={actAndKeepFocus}
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

/** The ticket leaves with the button that had the focus: the next one has it then, or the title of the list. */
function focusNext(list: HTMLElement | null, id: string): void {
  const ticket = ticketOf(list, id)
  if (!ticket?.contains(document.activeElement)) return
  const next = shownBeside(ticket, 'nextElementSibling') ?? shownBeside(ticket, 'previousElementSibling')
  const target = next ? completeButtonOf(next) : document.querySelector<HTMLElement>('#requests')
  target?.focus({ preventScroll: true })
}

function shownBeside(ticket: Element, way: 'nextElementSibling' | 'previousElementSibling'): Element | null {
  let other = ticket[way]
  while (other && getComputedStyle(other).display === 'none') other = other[way]
  return other
}

/** "On my way" and "Release" take each other's place: the focus stays in the ticket. */
function keepFocus(list: HTMLElement | null, id: string): void {
  const ticket = ticketOf(list, id)
  if (ticket?.contains(document.activeElement)) completeButtonOf(ticket)?.focus({ preventScroll: true })
}

const ticketOf = (list: HTMLElement | null, id: string): Element | null =>
  list?.querySelector(`[data-request='${CSS.escape(id)}']`) ?? null
const completeButtonOf = (ticket: Element): HTMLElement | null => ticket.querySelector('[data-complete]')
