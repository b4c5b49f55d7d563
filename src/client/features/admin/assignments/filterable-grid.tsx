import { type JSX, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import { useFocusAfterRemoval } from '../../../lib/hooks/use-focus-after-removal.ts'
import { t, translate } from '../../../lib/texts/translate.ts'
import { RemoveDialog } from '../../../ui/dialogs/remove-dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { SearchField } from '../../../ui/form/search-field.tsx'
import type { FloorActions } from '../floor-actions.ts'
import { TableGrid } from './table-grid.tsx'

/** Up to this many tables need no filter. */
const maxWithoutFilter = 12

type FilterableGridProps = {
  tables: readonly Table[]
  date: string
  assigned: ReadonlyMap<string, CrewMember> | null
  assign: FloorActions['assign']
  removeTable: FloorActions['removeTable']
  /** What the filter begins with. */
  find: string
}

export function FilterableGrid(props: FilterableGridProps): JSX.Element {
  const { tables, date, assigned, assign, removeTable, find } = props
  const [filter, setFilter] = useState(find)
  const [deleting, setDeleting] = useState<string | null>(null)
  const wanted = useDeferredValue(filter).trim().toLowerCase()
  const confirmation = useDialog<Table & { question: string }>()
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
    if (typeof outcome === 'object') confirmation.open({ ...table, question: outcome.confirm })
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
      {(tables.length > maxWithoutFilter || find !== '') && (
        <SearchField
          label={t('Find tables')}
          placeholder={t('Table or person')}
          value={filter}
          onValue={setFilter}
          autoFocus={find !== ''}
        />
      )}
      {tables.length === 0 ? (
        <p className="text-text-mute">{t('No tables yet. Set them up above, or add one at a time.')}</p>
      ) : (
        <>
          {shown.length === 0 && <p className="text-text-mute">{t('No tables found')}</p>}
          <TableGrid tables={shown} onDelete={startRemoving} {...{ date, assigned, assign, deleting }} />
        </>
      )}
      <RemoveDialog
        dialog={confirmation}
        title={t('Delete table {table}?', { table: confirmation.subject?.tableNumber ?? '' })}
        description={`${translate(confirmation.subject?.question ?? '')} ${t('You can undo this for 30 days.')}`}
        confirmLabel={t('Delete')}
        remove={(table) => removeTable(table, true)}
        finalFocus={nextControl}
      />
    </div>
  )
}
