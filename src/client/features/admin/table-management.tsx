import { type JSX, type ReactNode, useId, useMemo, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import { NewTable, type Table } from '#contract/floor.ts'
import { parse } from '#contract/parse.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useNow } from '../../lib/use-now.ts'
import { localDate } from '../../lib/dates.ts'
import { compareNatural } from '../../lib/natural-order.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { LoadError } from '../../ui/load-error.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useErrorToastWhen } from '../../ui/toast.tsx'
import { CopyButtons } from './assignments/copy-buttons.tsx'
import { CrewSearchContext } from './assignments/crew-context.ts'
import { CrewPanel } from './crew/crew-panel.tsx'
import { DateBar } from './assignments/date-bar.tsx'
import { type DayAssignments, toDayAssignments, countTablesByMember } from './assignments/day-assignments.ts'
import { FilterableGrid } from './assignments/filterable-grid.tsx'
import { HostStand } from './assignments/host-stand.tsx'
import { TableSetup } from './tables/table-setup.tsx'
import type { FloorActions } from './floor-actions.ts'
import { useFloorActions } from './use-floor-actions.ts'
import { formatLongDate } from './assignments/week.ts'

/** The restaurant's tables, its crew, and who works where on the chosen day. */
export function TableManagement(): JSX.Element {
  const tables = useFreshApiQuery(api.floor.tables, {})
  const crew = useFreshApiQuery(api.crew.list, {})
  const stand = useFreshApiQuery(api.floor.hostStand, {})
  // Only when there is nothing to show: a failed refresh must not replace the toast of the action before it.
  useErrorToastWhen(crew.isLoadingError, 'Failed to fetch crew members')
  useErrorToastWhen(tables.isLoadingError || stand.isLoadingError, 'Failed to fetch tables')

  if (tables.data && crew.data && stand.data) {
    return <FloorManagement tables={tables.data} crew={crew.data} standId={stand.data.id} />
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

function SectionFrame({ action, children }: { action?: ReactNode; children: ReactNode }): JSX.Element {
  const title = useId()
  return (
    <section id="tables" aria-labelledby={title} className="flex min-w-0 flex-col gap-4">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-2">
        <h2 id={title} className="text-xl">
          Table Management
        </h2>
        {action}
      </div>
      {children}
    </section>
  )
}

type FloorManagementProps = { tables: Table[]; crew: CrewMember[]; standId: string }

function FloorManagement({ tables: unsorted, crew, standId }: FloorManagementProps): JSX.Element {
  const actions = useFloorActions(standId)
  const today = localDate(useNow(60_000))
  const [chosen, setDate] = useState<string | null>(null)
  const [setupOpen, setSetupOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  const date = chosen ?? today
  const { data, isError, isLoadingError, refetch } = useFreshApiQuery(api.floor.assignmentsByDate, {
    query: { date },
  })
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
            {setupOpen ? 'Hide Setup' : 'Change Tables'}
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
          onDate={(next) => setDate(next === today ? null : next)}
          tables={tables.length}
          loaded={data !== undefined}
        />
        <CopyButtons date={date} day={day} actions={actions} />
      </Card>
      <div className="grid items-stretch gap-4 *:min-w-0 lg:grid-cols-[2fr_1fr]">
        <CrewPanel crew={crew} actions={actions} />
        <HostStand
          key={date}
          date={date}
          crew={crew}
          hosts={day?.hosts ?? null}
          setHosts={actions.setHosts}
        />
      </div>
      <Card
        title="Tables"
        level={3}
        description={summary(tables.length, day, formatLongDate(date))}
        action={<AddTable addTable={actions.addTable} />}
      >
        {isError && <LoadError message="Failed to fetch assignments" onRetry={refetch} />}
        <CrewSearchContext value={search}>
          <FilterableGrid
            {...{ tables, date, assigned }}
            assign={actions.assign}
            removeTable={actions.removeTable}
          />
        </CrewSearchContext>
      </Card>
    </SectionFrame>
  )
}

function membersByTable(day: DayAssignments, crew: readonly CrewMember[]): ReadonlyMap<string, CrewMember> {
  const people = new Map(crew.map((member) => [member.id, member]))
  return new Map(
    // Former crew members still appear on past days.
    [...day.tables].map(([tableId, id]) => [
      tableId,
      people.get(id) ?? { id, name: 'Former crew member', role: 'Server' },
    ]),
  )
}

function summary(tables: number, day: DayAssignments | null, when: string): string {
  if (tables === 0 || !day) return when
  return `${when}: ${day.tables.size} of ${tables} assigned`
}

function AddTable({ addTable }: { addTable: FloorActions['addTable'] }): JSX.Element {
  const form = useForm({
    initial: { tableNumber: '' },
    parse: (values) => parse(NewTable, values),
    async submit({ tableNumber }, { reset, focus }) {
      focus('tableNumber')
      if ((await addTable(tableNumber)) === 'done') reset()
    },
  })
  return (
    <form {...form.props} className="flex items-start gap-2">
      <div className="w-40">
        <Field
          label="Table Number"
          labelHidden
          placeholder="Table Number"
          autoComplete="off"
          {...form.field('tableNumber')}
        />
      </div>
      <Button type="submit" pending={form.busy} pendingLabel="Adding…">
        Add Table
      </Button>
    </form>
  )
}
