import CalendarRange from 'lucide-react/icons/calendar-range'
import Copy from 'lucide-react/icons/copy'
import {
  type FormEvent,
  type JSX,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import { NewTable, type Table } from '#contract/floor.ts'
import { parse } from '#contract/parse.ts'
import { useFreshRead } from '../../api/queries.ts'
import { useNow } from '../../lib/clock.ts'
import { localDate } from '../../lib/dates.ts'
import { byTableNumber } from '../../lib/table-order.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { controlClass, Field } from '../../ui/field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CrewContext } from './crew-context.ts'
import { CrewPanel } from './crew-panel.tsx'
import { DateBar } from './date-bar.tsx'
import { type Day, dayOf, loadOf } from './day.ts'
import { HostStand } from './host-stand.tsx'
import { TableGrid } from './table-grid.tsx'
import { TableSetup } from './table-setup.tsx'
import { useBusy } from './use-busy.ts'
import { type FloorActions, useFloorActions } from './use-floor.ts'
import { longDate } from './week.ts'

/** Everything here is about one restaurant's tables, its crew, and who works where on the chosen day. */
export function TableManagement(): JSX.Element {
  const tables = useFreshRead(api.floor.tables, {})
  const crew = useFreshRead(api.crew.list, {})
  const stand = useFreshRead(api.floor.hostStand, {})
  useFetchToast(crew.isError, 'Failed to fetch crew members')
  useFetchToast(tables.isError || stand.isError, 'Failed to fetch tables')

  if (tables.data && crew.data && stand.data) {
    return <Floor tables={tables.data} crew={crew.data} standId={stand.data.id} />
  }
  const failed = [tables, crew, stand].filter(({ isError }) => isError)
  return (
    <Frame>
      {failed.length === 0 ? (
        <Spinner />
      ) : (
        <Retry
          message={crew.isError ? 'Failed to fetch crew members' : 'Failed to fetch tables'}
          onRetry={() => failed.forEach((read) => void read.refetch())}
        />
      )}
    </Frame>
  )
}

function Frame({ action, children }: { action?: ReactNode; children: ReactNode }): JSX.Element {
  const title = useId()
  return (
    <section id="tables" aria-labelledby={title} className="flex min-w-0 flex-col gap-4">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id={title} className="text-xl">
          Table Management
        </h2>
        {action}
      </div>
      {children}
    </section>
  )
}

function useFetchToast(failed: boolean, description: string): void {
  const { toast } = useToast()
  useEffect(() => {
    if (failed) toast({ title: 'Error', description, destructive: true })
  }, [failed, description, toast])
}

function Retry({ message, onRetry }: { message: string; onRetry: () => void }): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-4">
      <p className="font-semibold text-late">{message}</p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  )
}

type FloorProps = { tables: Table[]; crew: CrewMember[]; standId: string }

function Floor({ tables: known, crew, standId }: FloorProps): JSX.Element {
  const actions = useFloorActions(standId)
  const today = localDate(useNow(60_000))
  const [chosen, setDate] = useState<string | null>(null)
  const [setupOpen, setSetupOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  const date = chosen ?? today
  const { data, isError, refetch } = useFreshRead(api.floor.assignmentsByDate, { query: { date } })
  useFetchToast(isError, 'Failed to fetch assignments')

  const tables = useMemo(() => known.toSorted((a, b) => byTableNumber(a.tableNumber, b.tableNumber)), [known])
  const day = useMemo(() => (data ? dayOf(data, standId) : null), [data, standId])
  const assigned = useMemo(() => day && membersAt(day, crew), [day, crew])
  const search = useMemo(() => ({ crew, load: day ? loadOf(day) : new Map<string, number>() }), [crew, day])
  const hasTables = tables.length > 0
  const [removing, setRemoving] = useState<Table | null>(null)

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
        {isError && <Retry message="Failed to fetch assignments" onRetry={() => void refetch()} />}
        {hasTables ? (
          <CrewContext value={search}>
            <FilteredGrid
              {...{ tables, date, assigned }}
              assign={actions.assign}
              removeTable={actions.removeTable}
              onMustConfirm={setRemoving}
            />
          </CrewContext>
        ) : (
          <p className="text-text-mute">No tables yet. Set them up above, or add one at a time.</p>
        )}
      </Card>
      <DeletionDialog table={removing} removeTable={actions.removeTable} onClose={() => setRemoving(null)} />
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

function Copies({
  date,
  day,
  actions,
}: {
  date: string
  day: Day | null
  actions: FloorActions
}): JSX.Element {
  const [copying, setCopying] = useState<'day' | 'week' | null>(null)
  const [busy, run] = useBusy()
  const isEmpty = day === null || day.tables.size + day.hosts.length === 0

  function copy(what: 'day' | 'week'): void {
    void run(async () => {
      setCopying(what)
      await (what === 'day' ? actions.copyFromPrevious(date) : actions.copyToWeek(date))
      setCopying(null)
    })
  }

  return (
    <div className="flex flex-wrap gap-3">
      <Button
        icon={<Copy aria-hidden size={18} />}
        disabled={busy}
        pending={busy && copying === 'day'}
        onClick={() => copy('day')}
      >
        Copy from Previous Day
      </Button>
      <Button
        icon={<CalendarRange aria-hidden size={18} />}
        disabled={busy || isEmpty}
        pending={busy && copying === 'week'}
        onClick={() => copy('week')}
      >
        Copy to Week
      </Button>
    </div>
  )
}

function AddTable({ addTable }: { addTable: FloorActions['addTable'] }): JSX.Element {
  const [tableNumber, setTableNumber] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, run] = useBusy()
  const { toast } = useToast()
  const input = useRef<HTMLInputElement>(null)

  function submit(event: FormEvent): void {
    event.preventDefault()
    const checked = parse(NewTable, { tableNumber })
    input.current?.focus()
    if (!checked.ok) {
      setProblem(checked.message)
      return toast({ title: 'Error', description: checked.message, destructive: true })
    }
    void run(async () => {
      if ((await addTable(checked.value.tableNumber)) === 'done') setTableNumber('')
    })
  }

  return (
    <form onSubmit={submit} noValidate className="flex items-start gap-2">
      <div className="w-40">
        <Field
          ref={input}
          label="Table Number"
          labelHidden
          placeholder="Table Number"
          autoComplete="off"
          value={tableNumber}
          error={problem}
          onChange={(event) => {
            setTableNumber(event.target.value)
            setProblem(null)
          }}
        />
      </div>
      <Button type="submit" pending={busy} pendingLabel="Adding…">
        Add Table
      </Button>
    </form>
  )
}

/** Up to this many tables are found at a glance. */
const foundAtAGlance = 12

type FilteredGridProps = {
  tables: readonly Table[]
  date: string
  assigned: ReadonlyMap<string, CrewMember> | null
  assign: FloorActions['assign']
  removeTable: FloorActions['removeTable']
  onMustConfirm: (table: Table) => void
}

function FilteredGrid(props: FilteredGridProps): JSX.Element {
  const { tables, date, assigned, assign, removeTable, onMustConfirm } = props
  const [filter, setFilter] = useState('')
  const [deleting, setDeleting] = useState<string | null>(null)
  const wanted = useDeferredValue(filter).trim().toLowerCase()
  const frame = useRef<HTMLDivElement>(null)
  const next = useRef<number>(undefined)

  const shown = useMemo(() => {
    if (wanted === '') return tables
    const fits = (text = ''): boolean => text.toLowerCase().includes(wanted)
    return tables.filter(({ id, tableNumber }) => fits(tableNumber) || fits(assigned?.get(id)?.name))
  }, [tables, assigned, wanted])

  // The button that had the focus went with its table: the next one takes over.
  useEffect(() => {
    if (next.current === undefined || document.activeElement !== document.body) return
    const buttons = frame.current?.querySelectorAll<HTMLElement>('[data-cell$="delete"] button') ?? []
    buttons[Math.min(next.current, buttons.length - 1)]?.focus()
    next.current = undefined
  }, [shown])

  async function remove(table: Table): Promise<void> {
    if (deleting !== null) return
    setDeleting(table.id)
    next.current = shown.indexOf(table)
    const outcome = await removeTable(table, false)
    setDeleting(null)
    if (outcome !== 'done') next.current = undefined
    if (outcome === 'confirm') onMustConfirm(table)
  }
  const work = useRef(remove)
  useEffect(() => {
    work.current = remove
  })
  const [startRemoving] = useState(
    () =>
      (table: Table): void =>
        void work.current(table),
  )

  return (
    <div ref={frame} className="flex flex-col gap-4">
      {tables.length > foundAtAGlance && (
        <input
          type="search"
          aria-label="Find tables"
          placeholder="Find a table or who works it"
          autoComplete="off"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          className={`${controlClass} max-w-md`}
        />
      )}
      {shown.length === 0 && <p className="text-text-mute">No tables found</p>}
      <TableGrid tables={shown} onDelete={startRemoving} {...{ date, assigned, assign, deleting }} />
    </div>
  )
}

type DeletionDialogProps = {
  table: Table | null
  removeTable: FloorActions['removeTable']
  onClose: () => void
}

function DeletionDialog({ table, removeTable, onClose }: DeletionDialogProps): JSX.Element {
  const [busy, run] = useBusy()
  return (
    <Dialog
      title={`Delete table ${table?.tableNumber ?? ''}?`}
      description="It has assignments from today on. They go with the table."
      open={table !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="danger"
            pending={busy}
            onClick={() =>
              void run(async () => {
                if (table) await removeTable(table, true)
                onClose()
              })
            }
          >
            Delete
          </Button>
        </>
      }
    />
  )
}
