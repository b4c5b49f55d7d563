import { type JSX, type ReactNode, useState } from 'react'
import { api } from '#contract/api.ts'
import { type ServiceRequest, serviceTypeLabels, targetResponseMs } from '#contract/requests.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useConnection } from '../../api/use-live.ts'
import { useNow } from '../../lib/use-now.ts'
import { compareNatural } from '../../lib/natural-order.ts'
import { formatDuration, pluralize } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ServiceIcon } from '../../ui/service-icon.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { listCrewOnFloor } from './crew-on-floor.ts'
import { QueryError } from './query-error.tsx'
import type { TodayState } from './today-reducer.ts'

/** More open requests are not listed; the Crew Dashboard has them all. */
const maxListed = 6
/** A larger crew is collapsed, so that what is below stays in reach. */
const maxCollapsed = 12

type TodayPanelProps = { today: TodayState; /** The restaurant's own. */ day: string }

export function TodayPanel({ today, day }: TodayPanelProps): JSX.Element {
  const isLive = useConnection().state === 'live'
  return (
    <Card
      title="Today"
      description="What is going on right now"
      action={
        <span className="inline-flex items-center gap-2 font-semibold">
          <span aria-hidden className={classNames('size-3 rounded-full', isLive ? 'bg-done' : 'bg-late')} />
          <span role="status">{isLive ? 'Live' : 'Reconnecting…'}</span>
        </span>
      }
    >
      {today.loaded ? <LiveFigures today={today} /> : <Spinner />}
      <div className="grid gap-x-8 gap-y-6 border-t border-rule pt-4 md:grid-cols-2">
        <Section title="Open requests">
          <OpenRequests open={today.open} loaded={today.loaded} />
        </Section>
        <Section title="On the floor">
          <FloorList day={day} today={today} />
        </Section>
      </div>
    </Card>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }): JSX.Element {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="mb-2 text-lg">{title}</h3>
      {children}
    </section>
  )
}

function LiveFigures({ today: { open, screens } }: { today: TodayState }): JSX.Element {
  const now = useNow(1000)
  const [oldest] = open
  return (
    <dl className="flex flex-wrap gap-3 *:flex-[1_1_8.5rem]">
      <Figure label="Open requests" value={String(open.length)} />
      <Figure
        label="Oldest has waited"
        value={oldest ? formatDuration(Math.max(0, now - oldest.timestamp)) : '–'}
        late={oldest !== undefined && isOverdue(oldest, now)}
      />
      <Figure
        label="Listening screens"
        value={screens === null ? '–' : String(screens)}
        late={screens === 0}
      />
    </dl>
  )
}

const isOverdue = ({ state, serviceType, timestamp }: ServiceRequest, now: number): boolean =>
  state === 'waiting' && now - timestamp >= targetResponseMs[serviceType]

function Figure({
  label,
  value,
  late = false,
}: {
  label: string
  value: string
  late?: boolean
}): JSX.Element {
  return (
    <div className="rounded-control bg-plate-2 px-4 py-3">
      <dt>{label}</dt>
      <dd className={classNames('font-display text-2xl font-bold', late && 'text-late')}>{value}</dd>
    </div>
  )
}

function OpenRequests({ open, loaded }: { open: readonly ServiceRequest[]; loaded: boolean }): JSX.Element {
  const now = useNow(1000)
  if (open.length === 0) return <p className="text-text-mute">{loaded ? 'No active requests' : 'Loading…'}</p>
  return (
    <>
      <ul className="flex flex-col divide-y divide-rule">
        {open.slice(0, maxListed).map((request) => (
          <li key={request.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <ServiceIcon type={request.serviceType} size={20} />
            <span className="min-w-0 flex-1 wrap-anywhere">
              <strong>Table {request.tableNumber}</strong> {serviceTypeLabels[request.serviceType]}
              {request.asks > 1 && <span className="text-text-mute"> · asked {request.asks}×</span>}
              {request.acceptedBy && (
                <span className="text-text-mute"> · {request.acceptedBy.name} is on the way</span>
              )}
            </span>
            {request.level === 2 && request.state === 'waiting' && <Badge tone="late">Raised</Badge>}
            <span className={classNames('font-semibold', isOverdue(request, now) && 'text-late')}>
              {formatDuration(Math.max(0, now - request.timestamp))}
            </span>
          </li>
        ))}
      </ul>
      {open.length > maxListed && (
        <p className="mt-2 text-text-mute">and {pluralize(open.length - maxListed, 'more', 'more')}</p>
      )}
    </>
  )
}

function FloorList({ day, today }: { day: string; today: TodayState }): JSX.Element {
  const crew = useFreshApiQuery(api.crew.list, {})
  const tables = useFreshApiQuery(api.floor.tables, {})
  const stand = useFreshApiQuery(api.floor.hostStand, {})
  const assignments = useFreshApiQuery(api.floor.assignmentsByDate, { query: { date: day } })
  const all = [crew, tables, stand, assignments]
  if (crew.data && tables.data && stand.data && assignments.data) {
    const people = listCrewOnFloor({
      crew: crew.data,
      tables: [...tables.data, stand.data],
      assignments: assignments.data,
      breaks: today.breaks,
    })
    return <People people={people} />
  }
  const error = all.find((read) => read.error)?.error
  if (!error) return <Spinner />
  return (
    <QueryError
      error={error}
      fallback="The floor could not be loaded."
      onRetry={() => all.forEach((read) => void read.refetch())}
    />
  )
}

function People({ people }: { people: ReturnType<typeof listCrewOnFloor> }): JSX.Element {
  const [all, setAll] = useState(false)
  if (people.length === 0) return <p className="text-text-mute">Nobody is assigned today</p>
  const shown = all ? people : people.slice(0, maxCollapsed)
  return (
    <>
      <ul className="flex flex-col divide-y divide-rule">
        {shown.map(({ id, name, role, tables, onBreak }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <span className="min-w-0 flex-1 basis-40 wrap-anywhere">
              <strong>{name}</strong> <span className="text-text-mute">{role}</span>
            </span>
            {onBreak && <Badge tone="outline">On break</Badge>}
            <span className="flex max-w-full flex-wrap gap-1">
              {tables.toSorted(compareNatural).map((table) => (
                <Badge key={table}>{table}</Badge>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {people.length > maxCollapsed && (
        <Button variant="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${people.length}`}
        </Button>
      )}
    </>
  )
}
