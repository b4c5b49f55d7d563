import { type JSX, useId, useState } from 'react'
import { type DeletedItem, deletionGraceMs } from '#contract/deleted-items.ts'
import { dayMs } from '#contract/durations.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { useFocusAfterRemoval } from '../../../lib/hooks/use-focus-after-removal.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { Button } from '../../../ui/button.tsx'
import { useReportError } from '../use-report-error.ts'
import { type Deleted, deletedRoutes } from './deleted-items.ts'
import { useRestore } from './restore.tsx'

/** What can still be restored. Not shown while there is nothing to restore. */
export function RecentlyDeleted({ kind }: { kind: Deleted['kind'] }): JSX.Element | null {
  const { data: items = [] } = useFreshApiQuery(deletedRoutes[kind], {})
  const [isOpen, setOpen] = useState(false)
  const listId = useId()
  const { container, markRemoved, nextControl } = useFocusAfterRemoval<HTMLDivElement>(items, 'button')
  if (items.length === 0) return null
  return (
    <div ref={container} className="flex flex-col items-start gap-2">
      <Button
        variant="quiet"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {t('Recently deleted ({count})', { count: items.length })}
      </Button>
      {isOpen && (
        <ul
          id={listId}
          aria-label={t('Recently deleted')}
          className="flex w-full flex-col divide-y divide-rule"
        >
          {items.map((item, index) => (
            <Row
              key={item.id}
              item={item}
              deleted={{ kind, id: item.id, name: item.name }}
              onRestore={() => markRemoved(item, index + 1)}
              nextControl={nextControl}
            />
          ))}
        </ul>
      )}
    </div>
  )
}

type RowProps = {
  item: DeletedItem
  deleted: Deleted
  onRestore: () => void
  nextControl: () => HTMLElement | null
}

function Row({ item: { name, deletedAt }, deleted, onRestore, nextControl }: RowProps): JSX.Element {
  const restore = useRestore()
  const reportError = useReportError()
  const [busy, run] = useTask()
  const left = Math.max(1, Math.ceil((deletedAt + deletionGraceMs - useNow(60_000)) / dayMs))
  return (
    <li className="flex flex-wrap items-center gap-x-4 py-1">
      <span className="min-w-32 flex-1 wrap-anywhere">
        <bdi className="font-semibold">{name}</bdi>{' '}
        <span className="text-text-mute">{plural(left, '1 day left', '{count} days left')}</span>
      </span>
      <Button
        variant="quiet"
        aria-label={t('Restore {name}', { name })}
        pending={busy}
        pendingLabel={t('Restoring…')}
        onClick={() => {
          onRestore()
          void run(() =>
            restore(deleted, nextControl).catch((error: unknown) => reportError(error, 'Failed to restore')),
          )
        }}
      >
        {t('Restore')}
      </Button>
    </li>
  )
}
