import { type JSX, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import type { Table } from '#contract/floor.ts'
import { ConfirmDialog, type DialogState, useDialog } from '../../../ui/confirm-dialog.tsx'
import { SearchField } from '../../../ui/form/search-field.tsx'
import { TableGrid } from './table-grid.tsx'
import type { FloorActions } from '../floor-actions.ts'
import { useFocusAfterRemoval } from '../../../lib/use-focus-after-removal.ts'
import { useTask } from '../../../lib/use-task.ts'

/** Up to this many tables need no filter. */
const maxWithoutFilter = 12

type FilterableGridProps = {
  tables: readonly Table[]
  date: string
  assigned: ReadonlyMap<string, CrewMember> | null
  assign: FloorActions['assign']
  removeTable: FloorActions['removeTable']
}

export function FilterableGrid(props: FilterableGridProps): JSX.Element {
  const { tables, date, assigned, assign, removeTable } = props
  const [filter, setFilter] = useState('')
  const [deleting, setDeleting] = useState<string | null>(null)
  const wanted = useDeferredValue(filter).trim().toLowerCase()
  const confirmation = useDialog<Table>()
  const {
    container: listRef,
    markRemoved,
    nextControl,
  } = useFocusAfterRemoval<HTMLDivElement>(tables, '[data-cell$="delete"] button')

  const shown = useMemo(() => {
    if (wanted === '') return tables
    const fits = (text = ''): boolean => text.toLowerCase().includes(wanted)
    return tables.filter(({ id, tableNumber }) => fits(tableNumber) || fits(assigned?.get(id)?.name))
  }, [tables, assigned, wanted])

  async function remove(table: Table): Promise<void> {
    if (deleting !== null) return
    setDeleting(table.id)
    markRemoved(table, shown.indexOf(table))
    const outcome = await removeTable(table, false)
    setDeleting(null)
    if (outcome === 'confirm') confirmation.open(table)
  }
  // Keeps its identity, so that the grid is not rendered again.
  const latest = useRef(remove)
  useEffect(() => {
    latest.current = remove
  })
  const [startRemoving] = useState(
    () =>
      (table: Table): void =>
        void latest.current(table),
  )

  return (
    <div ref={listRef} className="flex flex-col gap-4">
      {tables.length > maxWithoutFilter && (
        <SearchField
          label="Find tables"
          placeholder="Find a table or who works it"
          value={filter}
          onValue={setFilter}
        />
      )}
      {tables.length === 0 ? (
        <p className="text-text-mute">No tables yet. Set them up above, or add one at a time.</p>
      ) : (
        <>
          {shown.length === 0 && <p className="text-text-mute">No tables found</p>}
          <TableGrid tables={shown} onDelete={startRemoving} {...{ date, assigned, assign, deleting }} />
        </>
      )}
      <DeleteTableDialog dialog={confirmation} {...{ removeTable, nextControl }} />
    </div>
  )
}

type DeleteTableDialogProps = {
  dialog: DialogState<Table>
  removeTable: FloorActions['removeTable']
  nextControl: () => HTMLElement | null
}

function DeleteTableDialog(props: DeleteTableDialogProps): JSX.Element {
  const { dialog, removeTable, nextControl } = props
  const { subject: table, isOpen, close } = dialog
  const [busy, run] = useTask()
  return (
    <ConfirmDialog
      title={`Delete table ${table?.tableNumber ?? ''}?`}
      description="It has assignments from today on. They go with the table."
      open={isOpen}
      confirmLabel="Delete"
      danger
      pending={busy}
      onConfirm={() =>
        void run(async () => {
          if (table) await removeTable(table, true)
          close()
        })
      }
      onCancel={close}
      finalFocus={nextControl}
    />
  )
}
