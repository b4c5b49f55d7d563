import { type JSX, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import type { Table } from '#contract/floor.ts'
import { useFreshRead } from '../../api/queries.ts'
import { useNow } from '../../lib/clock.ts'
import { localDate } from '../../lib/dates.ts'
import { byTableNumber } from '../../lib/table-order.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AddTable } from './add-table.tsx'
import { Copies } from './copies.tsx'
import { CrewContext } from './crew-context.ts'
import { CrewPanel } from './crew-panel.tsx'
import { DateBar } from './date-bar.tsx'
import { type Day, dayOf, loadOf } from './day.ts'
import { FilteredGrid } from './filtered-grid.tsx'
import { HostStand } from './host-stand.tsx'
import { TableSetup } from './table-setup.tsx'
import { Failed } from './unread.tsx'
import { useFloorActions } from './use-floor.ts'
import { longDate } from './week.ts'

/** Everything here is about one restaurant's tables, its crew, and who works where on the chosen day. */
export function TableManagement(): JSX.Element {
  const tables = useFreshRead(api.floor.tables, {})
  const crew = useFreshRead(api.crew.list, {})
  const stand = useFreshRead(api.floor.hostStand, {})
  useFetchToast(crew.isLoadingError, 'Failed to fetch crew members')
  useFetchToast(tables.isLoadingError || stand.isLoadingError, 'Failed to fetch tables')

  if (tables.data && crew.data && stand.data) {
    return <Floor tables={tables.data} crew={crew.data} standId={stand.data.id} />
  }
  const failed = [tables, crew, stand].filter(({ isError }) => isError)
  return (
    <Frame>
      {failed.length === 0 ? (
        <Spinner />
      ) : (
        <Failed
          message={crew.isError ? 'Failed to fetch crew members' : 'Failed to fetch tables'}
          again={() => failed.forEach((read) => void read.refetch())}
        />
      )}
    </Frame>
  )
}

function Frame({ action, children }: { action?: ReactNode; children: ReactNode }): JSX.Element {
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

/** Only where nothing can be shown: what could not be read again stays, under the toast of what was being done. */
function useFetchToast(failed: boolean, description: string): void {
  const { toast } = useToast()
  useEffect(() => {
    if (failed) toast({ title: 'Error', description, destructive: true })
  }, [failed, description, toast])
}

type FloorProps = { tables: Table[]; crew: CrewMember[]; standId: string }

function Floor({ tables: known, crew, standId }: FloorProps): JSX.Element {
  const actions = useFloorActions(standId)
  const today = localDate(useNow(60_000))
  const [chosen, setDate] = useState<string | null>(null)
  const [setupOpen, setSetupOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  const date = chosen ?? today
  const { data, isError, isLoadingError, refetch } = useFreshRead(api.floor.assignmentsByDate, {
    query: { date },
  })
  useFetchToast(isLoadingError, 'Failed to fetch assignments')

  const tables = useMemo(() => known.toSorted((a, b) => byTableNumber(a.tableNumber, b.tableNumber)), [known])
  const day = useMemo(() => (data ? dayOf(data, standId) : null), [data, standId])
  const assigned = useMemo(() => day && membersAt(day, crew), [day, crew])
  const search = useMemo(() => ({ crew, load: day ? loadOf(day) : new Map<string, number>() }), [crew, day])
  const hasTables = tables.length > 0

  return (
    <Frame
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
            // The button that was pressed goes away with the panel.
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
        <Copies date={date} day={day} actions={actions} />
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
        description={summary(tables.length, day, longDate(date))}
        action={<AddTable addTable={actions.addTable} />}
      >
        {isError && <Failed message="Failed to fetch assignments" again={refetch} />}
        <CrewContext value={search}>
          <FilteredGrid
            {...{ tables, date, assigned }}
            assign={actions.assign}
            removeTable={actions.removeTable}
          />
        </CrewContext>
      </Card>
    </Frame>
  )
}

function membersAt(day: Day, crew: readonly CrewMember[]): ReadonlyMap<string, CrewMember> {
  const people = new Map(crew.map((member) => [member.id, member]))
  return new Map(
    // Who left still stands in the days that are over.
    [...day.tables].map(([tableId, id]) => [
      tableId,
      people.get(id) ?? { id, name: 'Former crew member', role: 'Server' },
    ]),
  )
}

function summary(tables: number, day: Day | null, when: string): string {
  if (tables === 0 || !day) return when
  return `${when}: ${day.tables.size} of ${tables} assigned`
}
