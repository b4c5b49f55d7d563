import { type JSX, memo, useMemo, useState } from 'react'
import { api } from '#contract/api.ts'
import { undoWindowMs } from '#contract/requests/requests.ts'
import type { SeatedTable } from '#contract/requests/seating.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { useChangeOf } from '../../../api/queries.ts'
import { afterPaint } from '../../../lib/hooks/after-paint.ts'
import { useGrowingLimit } from '../../../lib/hooks/use-growing-limit.ts'
import { compareNatural } from '../../../lib/texts/natural-order.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatTime } from '../../../lib/time/dates.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/dialogs/drawer.tsx'
import { useErrorToast, useToast } from '../../../ui/toast/toast.tsx'

type SeatingDrawerProps = {
  tables: readonly SeatedTable[]
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Which tables are open: those whose code was scanned while they are closed come first. */
export function SeatingDrawer({ tables, open, onOpenChange }: SeatingDrawerProps): JSX.Element {
  return (
    <Drawer title={t('Seat tables')} open={open} onOpenChange={onOpenChange}>
      <Tables tables={tables} />
    </Drawer>
  )
}

/** About what a screen shows, so that the drawer is there at once. */
const tablesAtOnce = { first: 12, step: 24 }

function Tables({ tables }: Pick<SeatingDrawerProps, 'tables'>): JSX.Element {
  const sorted = useMemo(
    () =>
      tables.toSorted(
        (a, b) =>
          Number(a.wantedAt === null) - Number(b.wantedAt === null) ||
          compareNatural(a.tableNumber, b.tableNumber),
      ),
    [tables],
  )
  const limit = useGrowingLimit(sorted.length, tablesAtOnce)
  return (
    <ul className="flex flex-col divide-y divide-rule">
      {sorted.slice(0, limit).map((table) => (
        <Table key={table.tableNumber} table={table} />
      ))}
    </ul>
  )
}

const Table = memo(function Table({ table }: { table: SeatedTable }): JSX.Element {
  const { tableNumber, seatedAt, wantedAt } = table
  /** How many requests are still open, while that is asked. */
  const [left, setLeft] = useState<number | null>(null)
  const { toast } = useToast()
  const showError = useErrorToast()
  const name = t('Table {table}', { table: tableNumber })
  const [busy, change] = useChangeOf(api.seating.list, (error) =>
    showError(errorMessage(error, 'That did not work')),
  )

  const seat = (): void => change(async () => await call(api.seating.open, { body: { tableNumber } }))
  const undo = (): void => change(async () => await call(api.seating.undoClose, { body: { tableNumber } }))
  const close = (anyway: boolean): void =>
    change(async () => {
      const { closed, requests } = await call(api.seating.close, { body: { tableNumber, anyway } })
      setLeft(closed ? null : requests)
      if (!closed) return
      toast({
        title: t('Table {table} is closed', { table: tableNumber }),
        action: { label: t('Undo'), onClick: undo },
        timeoutMs: undoWindowMs,
      })
    })

  return (
    <li className="-mx-2 flex flex-col gap-2 px-2 py-2 [contain-intrinsic-block-size:auto_4.5rem] [content-visibility:auto]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-32 wrap-anywhere">
          <p>
            <strong className="block font-semibold">{name}</strong>{' '}
            <span className="text-base text-text-mute">
              {seatedAt === null ? t('Not open') : t('Seated since {time}', { time: formatTime(seatedAt) })}
            </span>
          </p>
          {wantedAt !== null && <Badge tone="action">{t('Wants to be seated')}</Badge>}
        </div>
        {seatedAt === null ? (
          <Button
            variant={wantedAt === null ? 'plate' : 'primary'}
            pending={busy}
            aria-label={`${name}: ${t('Open table')}`}
            onClick={() => afterPaint(seat)}
          >
            {t('Open table')}
          </Button>
        ) : (
          <Button
            pending={busy}
            aria-label={`${name}: ${t('Close table')}`}
            onClick={() => afterPaint(() => close(false))}
          >
            {t('Close table')}
          </Button>
        )}
      </div>
      {left !== null && seatedAt !== null && (
        <div role="alert" className="flex flex-col gap-2">
          <p>
            {t(
              'Open requests: {count}. If you close the table, they are cancelled; those that somebody is on the way for count as done.',
              { count: left },
            )}
          </p>
          <div className="flex flex-wrap gap-3">
            <Button variant="danger" pending={busy} onClick={() => close(true)}>
              {t('Close anyway')}
            </Button>
            <Button onClick={() => setLeft(null)}>{t('Cancel')}</Button>
          </div>
        </div>
      )}
    </li>
  )
})
