import { type JSX, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import type { Table } from '#contract/floor.ts'
import { controlClass } from '../../ui/field.tsx'
import { TableGrid } from './table-grid.tsx'
import type { FloorActions } from './use-floor.ts'

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

export function FilteredGrid(props: FilteredGridProps): JSX.Element {
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
