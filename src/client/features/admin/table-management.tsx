import ChevronDown from 'lucide-react/icons/chevron-down'
import { type JSX, type ReactNode, useId, useMemo, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import { NewTable, type Table } from '#contract/floor/floor.ts'
import type { FloorPlan } from '#contract/floor/sections.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { compareNatural } from '../../lib/texts/natural-order.ts'
import { t } from '../../lib/texts/translate.ts'
import { localDate } from '../../lib/time/dates.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadError } from '../../ui/page/load-error.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { useErrorToastWhen } from '../../ui/toast/toast.tsx'
import { AddForm } from './add-form.tsx'
import { CopyButtons } from './assignments/copy-buttons.tsx'
import { CrewSearchContext } from './assignments/crew-context.ts'
import { DateBar } from './assignments/date-bar.tsx'
import { type DayAssignments, toDayAssignments, countTablesByMember } from './assignments/day-assignments.ts'
import { FilterableGrid } from './assignments/filterable-grid.tsx'
import { HostStand } from './assignments/host-stand.tsx'
import { formatLongDate } from './assignments/week.ts'
import { WeeklyPattern } from './assignments/weekly-pattern.tsx'
import { CrewPanel } from './crew/crew-panel.tsx'
import { RecentlyDeleted } from './deleted/recently-deleted.tsx'
import { LoadingCard } from './loading-card.tsx'
import { TableSetup } from './tables/table-setup.tsx'
import { useFloorActions } from './use-floor-actions.ts'

/** Nothing else on the page waits for it. */
const Sections = lazyPart(async () => (await import('./sections/sections.tsx')).Sections, {
  fallback: (failed, onRetry) => <LoadingCard title={t('Sections')} level={3} {...{ failed, onRetry }} />,
  retry: 'manual',
})

const TableButtons = lazyPart(async () => (await import('./tables/table-buttons.tsx')).TableButtons, {
  fallback: (failed, onRetry) => (
    <LoadingCard title={t('Table Buttons')} level={3} {...{ failed, onRetry }} />
  ),
  retry: 'manual',
})

type TableManagementProps = {
  /** With sections and buttons. */
  whole?: boolean
  /** The day that is shown first; today if null. */
  date?: string | null
  /** Shows only the tables with this number, or that this person works. */
  find?: string
}

/** The restaurant's tables, its crew, and who works where on the chosen day. */
export function TableManagement({
  whole = false,
  date: initialDate = null,
  find = '',
}: TableManagementProps): JSX.Element {
  const tables = useFreshApiQuery(api.floor.tables, {})
  const crew = useFreshApiQuery(api.crew.list, {})
  const stand = useFreshApiQuery(api.floor.hostStand, {})
  const day = useDay(initialDate)
  const { data: plan } = useFreshApiQuery(api.tables.plan, {})
  // Only when there is nothing to show: a failed refresh must not replace the toast of the action before it.
  useErrorToastWhen(crew.isLoadingError, 'Failed to fetch crew members')
  useErrorToastWhen(tables.isLoadingError || stand.isLoadingError, 'Failed to fetch tables')

  if (tables.data && crew.data && stand.data) {
    return (
      <FloorManagement
        tables={tables.data}
        crew={crew.data}
        standId={stand.data.id}
        {...{ day, plan, whole, find }}
      />
    )
  }
  const failed = [tables, crew, stand].filter(({ isError }) => isError)
  return (
    <SectionFrame>
      {failed.length === 0 ? (
        <Spinner />
      ) : (
        <LoadError
          message={crew.isError ? 'Failed to fetch crew members' : 'Failed to fetch tables'}
          onRetry={() => failed.forEach((read) => void read.refetch())}
        />
      )}
    </SectionFrame>
  )
}

/** The chosen day and who works on it, which are loaded beside the tables rather than after them. */
function useDay(initialDate: string | null) {
  const today = localDate(useNow(60_000))
  const [chosen, setChosen] = useState(initialDate)
  const date = chosen ?? today
  const assignments = useFreshApiQuery(api.floor.assignmentsByDate, { query: { date } })
  const setDate = (next: string): void => setChosen(next === today ? null : next)
  return { today, date, setDate, assignments }
}

function SectionFrame({ action, children }: { action?: ReactNode; children: ReactNode }): JSX.Element {
  const title = useId()
  return (
    <section aria-labelledby={title} className="flex min-w-0 flex-col gap-4">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-2">
        <h2 id={title} className="text-xl">
          {t('Table Management')}
        </h2>
        {action}
      </div>
      {children}
    </section>
  )
}

type FloorManagementProps = {
  tables: Table[]
  crew: CrewMember[]
  standId: string
  day: ReturnType<typeof useDay>
  plan: FloorPlan | undefined
  whole: boolean
  find: string
}

function FloorManagement(props: FloorManagementProps): JSX.Element {
  const { tables: unsorted, crew, standId, plan, whole, find } = props
  const { today, date, setDate, assignments } = props.day
  const { data, isError, isLoadingError, refetch } = assignments
  const actions = useFloorActions(standId)
  const [setupOpen, setSetupOpen] = useState(false)
  const [buttonsOpen, setButtonsOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  useErrorToastWhen(isLoadingError, 'Failed to fetch assignments')

  const tables = useMemo(
    () => unsorted.toSorted((a, b) => compareNatural(a.tableNumber, b.tableNumber)),
    [unsorted],
  )
  const day = useMemo(() => (data ? toDayAssignments(data, standId) : null), [data, standId])
  const assigned = useMemo(() => day && membersByTable(day, crew), [day, crew])
  const search = useMemo(
    () => ({ crew, load: day ? countTablesByMember(day) : new Map<string, number>() }),
    [crew, day],
  )
  const hasTables = tables.length > 0

  return (
    <SectionFrame
      action={
        hasTables && (
          <Button ref={toggle} aria-expanded={setupOpen} onClick={() => setSetupOpen(!setupOpen)}>
            {t(setupOpen ? 'Hide Setup' : 'Change Tables')}
          </Button>
        )
      }
    >
      {(setupOpen || !hasTables) && (
        <TableSetup
          tables={tables}
          setUp={actions.setUp}
          onDone={() => {
            setSetupOpen(false)
            // The pressed button disappears with the panel.
            requestAnimationFrame(() => toggle.current?.focus())
          }}
        />
      )}
      <Card>
        <DateBar
          {...{ today, date, standId }}
          onDate={setDate}
          tables={tables.length}
          loaded={data !== undefined}
        />
        <div className="flex flex-wrap items-end gap-3">
          <CopyButtons date={date} day={day} actions={actions} />
          {hasTables && <WeeklyPattern {...{ today, date, actions }} assignments={data} />}
        </div>
      </Card>
      <div className="grid items-stretch gap-4 *:min-w-0 lg:grid-cols-[2fr_1fr]">
        <CrewPanel crew={crew} plan={plan} actions={actions} />
        <HostStand
          key={date}
          date={date}
          crew={crew}
          hosts={day?.hosts ?? null}
          setHosts={actions.setHosts}
        />
      </div>
      {whole && plan && hasTables && <Sections {...{ plan, tables, crew, date, day, assigned, actions }} />}
      <Card
        title={t('Tables')}
        anchor="tables"
        level={3}
        description={summary(tables.length, day, formatLongDate(date))}
        action={
          <AddForm
            schema={NewTable}
            name="tableNumber"
            label={t('Table Number')}
            width={{ most: '10rem', least: '8rem' }}
            addLabel={t('Add Table')}
            add={async ({ tableNumber }) => actions.addTable(tableNumber)}
          />
        }
      >
        {isError && <LoadError message="Failed to fetch assignments" onRetry={refetch} />}
        <CrewSearchContext value={search}>
          <FilterableGrid
            {...{ tables, date, assigned, find }}
            assign={actions.assign}
            removeTable={actions.removeTable}
          />
        </CrewSearchContext>
        <RecentlyDeleted kind="table" />
        {whole && hasTables && (
          <div className="-mx-edge">
            <Button
              variant="quiet"
              icon={<ChevronDown aria-hidden size={20} className={buttonsOpen ? 'rotate-180' : undefined} />}
              aria-expanded={buttonsOpen}
              onClick={() => setButtonsOpen(!buttonsOpen)}
            >
              {buttonsOpen ? t('Hide Table Buttons') : t('Table Buttons')}
            </Button>
          </div>
        )}
      </Card>
      {buttonsOpen && hasTables && <TableButtons tables={tables} />}
    </SectionFrame>
  )
}

function membersByTable(day: DayAssignments, crew: readonly CrewMember[]): ReadonlyMap<string, CrewMember> {
  const people = new Map(crew.map((member) => [member.id, member]))
  return new Map(
    // Former crew members still appear on past days.
    [...day.tables].map(([tableId, id]) => [
      tableId,
      people.get(id) ?? { id, name: t('Former crew member'), role: 'Server' },
    ]),
  )
}

function summary(tables: number, day: DayAssignments | null, when: string): string {
  if (tables === 0 || !day) return when
  return t('{day}: {count} of {tables} assigned', { day: when, count: day.tables.size, tables })
}
