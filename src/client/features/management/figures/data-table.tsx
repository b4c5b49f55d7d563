import './data-table.css'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import { type JSX, useState } from 'react'
import { compareNatural } from '../../../lib/texts/natural-order.ts'
import { classNames } from '../../../ui/class-names.ts'
import { ShowAllButton } from '../../../ui/page/show-all-button.tsx'

/** A figure is sorted by its value; null, of which nothing is known, comes last. */
export type Cell = string | { text: string; value: number | null }

export type TableData = {
  /** The first column names the rows; the others hold figures. */
  columns: readonly string[]
  rows: readonly (readonly Cell[])[]
  /** Not for people: nobody is ranked. */
  sortable?: boolean
}

type DataTableProps = TableData & {
  caption: string
  /** A table that can be seen scrolls on its own where it is wide, also with the keyboard. */
  focusable?: boolean
  /** More rows are shown on demand. */
  most?: number
}

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text)

type Order = { column: number; descending: boolean }

export function DataTable(props: DataTableProps): JSX.Element {
  const { caption, columns, rows, focusable = true, sortable = false, most = 12 } = props
  const [order, setOrder] = useState<Order | null>(null)
  const [all, setAll] = useState(false)
  const sorted = order ? rows.toSorted((a, b) => compareRows(a, b, order)) : rows
  const shown = all || !focusable ? sorted : sorted.slice(0, most)
  const scrolling = { role: 'region', 'aria-label': caption, tabIndex: 0 }
  return (
    <>
      <div
        {...(focusable && scrolling)}
        className={focusable ? 'data-table-box overflow-x-auto rounded-control' : undefined}
      >
        <table className="data-table w-full text-base">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="text-text-mute *:align-bottom *:font-normal">
              {columns.map((column, index) => (
                <HeaderCell
                  key={`${index} ${column}`}
                  name={column}
                  isFirst={index === 0}
                  order={order?.column === index ? order : null}
                  onSort={
                    sortable && focusable
                      ? () => setOrder({ column: index, descending: nextDirection(order, index) })
                      : null
                  }
                />
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-rule">
            {shown.map((row, place) => (
              <tr key={`${place} ${textOf(row[0] ?? '')}`}>
                {row.map((cell, index) =>
                  index === 0 ? (
                    <th
                      key={`${index} ${columns[index]}`}
                      scope="row"
                      className="text-start font-semibold wrap-anywhere"
                    >
                      {textOf(cell)}
                    </th>
                  ) : (
                    <td key={`${index} ${columns[index]}`} className="text-end whitespace-nowrap">
                      {textOf(cell)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {focusable && rows.length > most && <ShowAllButton count={rows.length} all={all} setAll={setAll} />}
    </>
  )
}

type HeaderCellProps = {
  name: string
  isFirst: boolean
  /** Null unless the rows are in the order of this column. */
  order: Order | null
  onSort: (() => void) | null
}

function HeaderCell({ name, isFirst, order, onSort }: HeaderCellProps): JSX.Element {
  const Arrow = order?.descending ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      aria-sort={order ? (order.descending ? 'descending' : 'ascending') : undefined}
      className={isFirst ? 'text-start' : 'text-end'}
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className={classNames(
            'inline-flex min-h-11 min-w-11 items-center gap-1 underline',
            !isFirst && 'justify-end',
          )}
        >
          {name}
          {order && <Arrow aria-hidden size={16} />}
        </button>
      ) : (
        name
      )}
    </th>
  )
}

/** Figures begin with the largest, names with the first. */
const nextDirection = (order: Order | null, column: number): boolean =>
  order?.column === column ? !order.descending : column > 0

function compareRows(a: readonly Cell[], b: readonly Cell[], { column, descending }: Order): number {
  const [first, second] = [a[column] ?? '', b[column] ?? '']
  if (typeof first === 'string' || typeof second === 'string')
    return compareNatural(textOf(first), textOf(second)) * (descending ? -1 : 1)
  if (first.value === null || second.value === null)
    return Number(first.value === null) - Number(second.value === null)
  return (first.value - second.value) * (descending ? -1 : 1)
}
