import ChartColumn from 'lucide-react/icons/chart-column'
import Table2 from 'lucide-react/icons/table-2'
import { type JSX, type ReactNode, type RefObject, useId, useRef, useState } from 'react'
import { errorMessage } from '../../../api/http.ts'
import { innerWidth, useMeasured } from '../../../lib/hooks/use-measured.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { useErrorToast } from '../../../ui/toast/toast.tsx'
import { DataTable, type TableData } from './data-table.tsx'
import { savePicture } from './save-picture.ts'

type ChartFrameProps = {
  title: string
  note?: ReactNode
  /** Takes the whole row. */
  wide?: boolean
  /** Without a card around it. */
  bare?: boolean
  /** `fill`: a colour that no class has. */
  legend?: readonly { label: string; className?: string; fill?: string }[]
  /** The same figures in words: read aloud always, shown instead of the chart on demand. */
  table: TableData
  /** There is nothing to draw: it says so instead. */
  empty?: boolean
  /** Draws in this width, in pixels. */
  children: (width: number) => ReactNode
}

/** As many as there are days in a week: the table is then hardly taller than its chart. */
const mostRows = 7

export function ChartFrame(props: ChartFrameProps): JSX.Element {
  const { title, note, wide = false, bare = false, legend = [], table, empty = false, children } = props
  const id = useId()
  const [asTable, setAsTable] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const colours = useRef<HTMLUListElement>(null)
  const width = useMeasured(box, innerWidth)
  return (
    <section
      aria-labelledby={id}
      className={classNames(
        'relative flex min-w-0 flex-col gap-1.5',
        !bare && 'rounded-ticket border border-rule p-edge',
        wide && 'lg:col-span-2',
        asTable && 'print:col-span-2',
      )}
    >
      <div className="flex flex-wrap items-start justify-between gap-x-2">
        <h3 id={id} className="min-w-[min(12rem,100%)] flex-1 pt-2 text-lg leading-tight wrap-anywhere">
          {title}
        </h3>
        <IconButton
          label={t(asTable ? 'Show {title} as a chart' : 'Show {title} as a table', { title })}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? <ChartColumn aria-hidden size={20} /> : <Table2 aria-hidden size={20} />}
        </IconButton>
      </div>
      {note && <p className="text-text-mute">{note}</p>}
      {!asTable && !empty && legend.length > 0 && (
        <ul ref={colours} aria-hidden className="flex flex-wrap gap-x-4 gap-y-1 text-text-mute">
          {legend.map(({ label, className, fill }) => (
            <li key={label} className="inline-flex items-center gap-2">
              <svg width="14" height="14" className={className} fill={fill}>
                <rect width="14" height="14" rx="3" />
              </svg>
              {label}
            </li>
          ))}
        </ul>
      )}
      {/* Paper is as wide as it is, and is laid out before the chart could be measured anew. */}
      <div ref={box} aria-hidden className="w-full min-w-0 overflow-hidden print:*:h-auto print:*:max-w-full">
        {!asTable && !empty && width > 0 && children(width)}
      </div>
      {!asTable && empty && <p className="py-6 text-center text-text-mute">{t('No data yet')}</p>}
      {!asTable && !empty && !bare && <SavePicture title={title} box={box} legend={colours} />}
      <div className={asTable ? undefined : 'sr-only'}>
        <DataTable caption={title} {...table} focusable={asTable} most={mostRows} />
      </div>
    </section>
  )
}

type SavePictureProps = {
  title: string
  box: RefObject<HTMLElement | null>
  legend: RefObject<HTMLElement | null>
}

function SavePicture({ title, box, legend }: SavePictureProps): JSX.Element {
  const showError = useErrorToast()
  async function save(kind: 'svg' | 'png'): Promise<void> {
    try {
      const chart = box.current?.querySelector('svg')
      if (chart) await savePicture({ chart, legend: legend.current, title }, kind)
    } catch (error) {
      showError(errorMessage(error, 'The picture could not be made.'))
    }
  }
  return (
    <p className="save-picture mt-auto flex flex-wrap items-center gap-x-2 text-text-mute print:hidden">
      {t('Save as a picture')}
      {(['png', 'svg'] as const).map((kind) => (
        <Button
          key={kind}
          variant="quiet"
          aria-label={t('Save {title} as {kind}', { title, kind: kind.toUpperCase() })}
          onClick={() => void save(kind)}
        >
          {kind.toUpperCase()}
        </Button>
      ))}
    </p>
  )
}
