import type { JSX } from 'react'

export type TableData = {
  /** The first column names the rows; the others hold figures. */
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

type DataTableProps = TableData & {
  caption: string
  /** A table that can be seen scrolls on its own where it is wide, also with the keyboard. */
  focusable?: boolean
}

export function DataTable({ caption, columns, rows, focusable = true }: DataTableProps): JSX.Element {
  const scrolling = { role: 'region', 'aria-label': caption, tabIndex: 0 }
  return (
    <div
      {...(focusable && scrolling)}
      className={focusable ? 'max-h-96 overflow-auto rounded-control' : undefined}
    >
      <table className="w-full text-base">
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 bg-plate">
          <tr className="text-text-mute *:px-2 *:py-2 *:align-bottom *:font-normal">
            {columns.map((column, index) => (
              <th key={column} scope="col" className={index === 0 ? 'text-start' : 'text-end'}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-rule">
          {rows.map((row) => (
            <tr key={row[0]} className="*:px-2 *:py-1.5">
              {row.map((cell, index) =>
                index === 0 ? (
                  <th
                    key={columns[index]}
                    scope="row"
                    className="min-w-28 text-start font-semibold wrap-anywhere"
                  >
                    {cell}
                  </th>
                ) : (
                  <td key={columns[index]} className="text-end whitespace-nowrap">
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
