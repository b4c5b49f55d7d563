import ChartColumn from 'lucide-react/icons/chart-column'
import Table2 from 'lucide-react/icons/table-2'
import { type JSX, type ReactNode, useId, useRef, useState } from 'react'
import { innerWidth, useMeasured } from '../../lib/use-measured.ts'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { DataTable, type TableData } from './data-table.tsx'

type ChartFrameProps = {
  title: string
  note?: ReactNode
  /** Takes the whole row. */
  wide?: boolean
  legend?: readonly { label: string; className: string }[]
  /** The same figures in words: read aloud always, shown instead of the chart on demand. */
  table: TableData
  /** There is nothing to draw: it says so instead. */
  empty?: boolean
  /** Draws in this width, in pixels. */
  children: (width: number) => ReactNode
}

export function ChartFrame(props: ChartFrameProps): JSX.Element {
  const { title, note, wide = false, legend = [], table, empty = false, children } = props
  const id = useId()
  const [asTable, setAsTable] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const width = useMeasured(box, innerWidth)
  return (
    <section
      aria-labelledby={id}
      className={classNames(
        'relative flex min-w-0 flex-col gap-2 rounded-ticket border border-rule p-4',
        wide && 'lg:col-span-2',
      )}
    >
      <div className="flex items-start justify-between gap-2">
        <h3 id={id} className="pt-2 text-lg leading-6">
          {title}
        </h3>
        <IconButton
          label={asTable ? `Show ${title} as a chart` : `Show ${title} as a table`}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? <ChartColumn aria-hidden size={20} /> : <Table2 aria-hidden size={20} />}
        </IconButton>
      </div>
      {note && <p className="text-text-mute">{note}</p>}
      {!asTable && !empty && legend.length > 0 && (
        <ul aria-hidden className="flex flex-wrap gap-x-4 gap-y-1 text-text-mute">
          {legend.map(({ label, className }) => (
            <li key={label} className="inline-flex items-center gap-2">
              <svg width="14" height="14" className={className}>
                <rect width="14" height="14" rx="3" />
              </svg>
              {label}
            </li>
          ))}
        </ul>
      )}
      <div ref={box} aria-hidden className="w-full min-w-0 overflow-hidden">
        {!asTable && !empty && width > 0 && children(width)}
      </div>
      {!asTable && empty && <p className="py-6 text-center text-text-mute">No data yet</p>}
      <div className={asTable ? undefined : 'sr-only'}>
        <DataTable caption={title} {...table} focusable={asTable} />
      </div>
    </section>
  )
}
