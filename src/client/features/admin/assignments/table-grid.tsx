import {
  type CSSProperties,
  type FocusEvent,
  type JSX,
  type KeyboardEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { Table } from '#contract/floor/floor.ts'
import { isDoubleTap } from '../../../lib/double-tap.ts'
import { useGrowingLimit } from '../../../lib/hooks/use-growing-limit.ts'
import { useMeasured } from '../../../lib/hooks/use-measured.ts'
import { nextIndex } from '../../../lib/list-navigation.ts'
import { t } from '../../../lib/texts/translate.ts'
import { classNames } from '../../../ui/class-names.ts'
import { longestWord } from '../../../ui/requests/table-number.tsx'
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx'
import type { FloorActions } from '../floor-actions.ts'
import { AssignmentCell } from './assignment-cell.tsx'
import { DraftsContext } from './cell-drafts.ts'

type AssignedByTable = ReadonlyMap<string, CrewMember>

type TableGridProps = {
  tables: readonly Table[]
  date: string
  /** By table id; null until loaded. */
  assigned: AssignedByTable | null
  assign: FloorActions['assign']
  onDelete: (table: Table) => void
  /** The table being deleted. */
  deleting: string | null
}

/** In the root's font size, so that large text gets wider columns. */
const [minColumnWidth, gap] = [16.5, 0.5]
const countColumns = ({ clientWidth, ownerDocument }: HTMLElement): number => {
  const rem = Number.parseFloat(getComputedStyle(ownerDocument.documentElement).fontSize) || 16
  return Math.floor((clientWidth / rem + gap) / (minColumnWidth + gap))
}
const tablesAtOnce = { first: 32, step: 96 }
const notMeasured = -1
const noAssignments: AssignedByTable = new Map()

/**
 * Two cells per table, its server and Delete: arrow keys move between them, Tab leaves the grid. That a number is a
 * table's, screen readers learn from the controls: hidden texts would be a layer each, which holds up scrolling.
 */
export const TableGrid = memo(function TableGrid(props: TableGridProps): JSX.Element {
  const { tables, date, assigned, assign, onDelete, deleting } = props
  const grid = useRef<HTMLDivElement>(null)
  // The rest of the page is painted before the grid.
  const fitting = useMeasured(grid, countColumns, notMeasured)
  const columns = Math.max(1, fitting)
  const [active, setActive] = useState<string | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const [drafts] = useState(() => new Map<string, string>())
  // By now every cell has taken up its draft.
  useEffect(() => drafts.clear())

  const limit = useGrowingLimit(tables.length, { ...tablesAtOnce, isReady: assigned !== null })

  const rows = useMemo(
    () =>
      Array.from({ length: Math.ceil(tables.length / columns) }, (_, row) =>
        tables.slice(row * columns, (row + 1) * columns),
      ),
    [tables, columns],
  )
  // Rows of another length would be thrown away.
  const shown = fitting === notMeasured ? [] : rows.slice(0, Math.ceil(limit / columns))
  const first = tables[0] && cellId(tables[0].id, 'crew')
  const isActiveShown = tables.some(
    ({ id }) => active === cellId(id, 'crew') || active === cellId(id, 'delete'),
  )
  const tabStop = isActiveShown ? active : first

  const trackActiveCell = useCallback(({ target }: FocusEvent) => {
    const cell = target.closest<HTMLElement>('[data-cell]')
    if (cell) setActive(cell.dataset['cell'] ?? null)
  }, [])

  return (
    <DraftsContext value={drafts}>
      <div
        ref={grid}
        role="grid"
        tabIndex={-1}
        aria-label={t('Table assignments')}
        aria-rowcount={rows.length}
        aria-colcount={columns * 2}
        aria-busy={assigned === null || undefined}
        className="@container flex flex-col gap-2 outline-none"
        onFocus={trackActiveCell}
        onKeyDown={(event) => moveFocus(event, grid, columns * 2)}
      >
        {shown.map((row, index) => (
          <GridRow
            key={row[0]?.id}
            {...{ row, columns, date, assign, onDelete }}
            narrow={fitting === 0}
            number={index + 1}
            assigned={assigned ?? noAssignments}
            ready={assigned !== null}
            tabStop={row.some(({ id }) => tabStop?.startsWith(id)) ? (tabStop ?? null) : null}
            deleting={row.some(({ id }) => id === deleting) ? deleting : null}
            onAssigned={setAnnouncement}
          />
        ))}
      </div>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
    </DraftsContext>
  )
})

const cellId = (tableId: string, what: 'crew' | 'delete'): string => `${tableId} ${what}`

function moveFocus(event: KeyboardEvent, grid: RefObject<HTMLElement | null>, perRow: number): void {
  const { target, currentTarget } = event
  if (event.defaultPrevented || event.altKey || event.metaKey || event.shiftKey) return
  if (!(target instanceof HTMLElement) || !currentTarget.contains(target)) return
  const cells = [...(grid.current?.querySelectorAll<HTMLElement>('[data-cell]') ?? [])]
  const from = cells.findIndex((cell) => cell.contains(target))
  if (from === -1) return
  const rtl = getComputedStyle(currentTarget).direction === 'rtl'
  const to = nextIndex(event, from, { count: cells.length, perRow, rtl })
  if (to === null) return
  event.preventDefault()
  focusControl(cells[to])
}

function focusControl(cell: HTMLElement | undefined): void {
  cell?.querySelector<HTMLElement>('input, button')?.focus()
}

type GridRowProps = {
  row: readonly Table[]
  number: number
  columns: number
  /** There is no room for one column of the usual width. */
  narrow: boolean
  date: string
  assigned: AssignedByTable
  ready: boolean
  tabStop: string | null
  deleting: string | null
  assign: FloorActions['assign']
  onAssigned: (announcement: string) => void
  onDelete: (table: Table) => void
}

const GridRow = memo(function Row(props: GridRowProps): JSX.Element {
  const {
    row,
    number,
    columns,
    narrow,
    date,
    assigned,
    ready,
    tabStop,
    deleting,
    assign,
    onAssigned,
    onDelete,
  } = props
  // What one needs makes the whole row as high.
  const isAbove = row.some(({ tableNumber }) => needsLine(tableNumber, narrow))
  return (
    <div
      role="row"
      aria-rowindex={number}
      className="grid gap-2 contain-content"
      style={gridColumns(columns)}
    >
      {row.map((table, index) => (
        <div
          key={table.id}
          role="none"
          className={classNames(
            'flex min-w-0 rounded-control border border-rule bg-plate p-1 focus-within:border-rule-strong hover:border-rule-strong',
            isAbove ? 'items-end' : 'items-center @max-[14rem]:items-end',
          )}
        >
          <div
            role="gridcell"
            aria-colindex={index * 2 + 1}
            data-cell={cellId(table.id, 'crew')}
            className={classNames(
              'flex min-w-0 flex-1 items-center gap-x-2 gap-y-1 ps-2',
              isAbove ? 'flex-wrap' : '@max-[14rem]:flex-wrap',
            )}
          >
            <TableName tableNumber={table.tableNumber} isAbove={isAbove} />
            <AssignmentCell
              {...{ table, date, ready, assign, onAssigned }}
              member={assigned.get(table.id)}
              tabStop={tabStop === cellId(table.id, 'crew')}
            />
          </div>
          <div role="gridcell" aria-colindex={index * 2 + 2} data-cell={cellId(table.id, 'delete')}>
            <DeleteButton
              table={table}
              tabStop={tabStop === cellId(table.id, 'delete')}
              busy={deleting === table.id}
              onDelete={onDelete}
            />
          </div>
        </div>
      ))}
    </div>
  )
})

type Shape = CSSProperties & Record<`--${string}`, number>

const gridColumns = (columns: number): Shape => ({
  gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
  '--columns': columns,
})

/** What fits beside the search: the widest word, measured in digits, and the longest name, in characters. */
const [widestBeside, longestBeside] = [10, 20]
const needsLine = (tableNumber: string, narrow: boolean): boolean =>
  tableNumber.length > 4 &&
  (narrow || tableNumber.length > longestBeside || longestWord(tableNumber) > widestBeside)

const numberClass = 'min-w-9 font-display text-xl font-bold'
const nameClass = 'min-w-14 text-sm leading-tight font-bold wrap-break-word'
/** A word that is too long for a line gets smaller before it breaks. */
const nameAboveClass =
  'text-[length:max(13px,0.5rem,min(0.875rem,(100cqi/var(--columns)-2rem)/var(--word)/0.6))]'
/** Above the search and Delete, as wide as both. */
const aboveClass = 'pt-1.5 basis-[calc(100%+44px)] -me-[44px]'
/** In large text on a phone a number has no room beside the search. */
const aboveWhereNarrowClass = '@max-[14rem]:basis-[calc(100%+44px)] @max-[14rem]:-me-[44px]'

type TableNameProps = { tableNumber: string; isAbove: boolean }

const TableName = memo(function TableName({ tableNumber, isAbove }: TableNameProps) {
  const short = tableNumber.length <= 4
  const shape: Shape = { '--word': longestWord(tableNumber) }
  const nameShape = isAbove ? nameAboveClass : 'max-w-24'
  return (
    <span
      style={short ? undefined : shape}
      className={classNames(
        'shrink-0',
        short ? numberClass : classNames(nameClass, nameShape),
        isAbove ? aboveClass : aboveWhereNarrowClass,
      )}
    >
      {tableNumber}
    </span>
  )
})

/** In one path: five shapes in each of five hundred cells would be a quarter of the page’s elements. */
const deleteIcon = (
  <svg
    aria-hidden
    width="18"
    height="18"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d="M10 11v6M14 11v6M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M3 6h18M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2" />
  </svg>
)

type DeleteButtonProps = {
  table: Table
  tabStop: boolean
  busy: boolean
  onDelete: (table: Table) => void
}

const DeleteButton = memo(function DeleteButton({ table, tabStop, busy, onDelete }: DeleteButtonProps) {
  return (
    <button
      type="button"
      aria-label={t('Delete table {table}', { table: table.tableNumber })}
      aria-disabled={busy || undefined}
      tabIndex={tabStop ? 0 : -1}
      onClick={({ detail }) => {
        if (!busy && !isDoubleTap(detail)) onDelete(table)
      }}
      className="grid min-h-11 w-[44px] place-items-center rounded-[9px] text-text-mute hover:bg-current/10 hover:text-late focus-visible:text-late aria-disabled:cursor-progress aria-disabled:opacity-55"
    >
      {deleteIcon}
    </button>
  )
})
