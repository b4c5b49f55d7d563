import type { JSX } from 'react'
import { useMedia } from '../../../lib/hooks/use-media.ts'
import { compareNatural } from '../../../lib/texts/natural-order.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { useFold } from '../../../ui/page/use-fold.tsx'
import { QueryError } from '../query-error.tsx'
import type { CrewOnFloor } from './crew-on-floor.ts'
import type { Floor } from './use-floor.ts'

/** A larger crew is collapsed, so that what is below stays in reach. */
const maxCollapsed = { phone: 3, other: 12 }

export function FloorCard({ floor: { people, error, retry } }: { floor: Floor }): JSX.Element {
  return (
    <Card title={t('On the floor')}>
      {people ? (
        <People people={people} />
      ) : error ? (
        <QueryError error={error} fallback="The floor could not be loaded." onRetry={retry} />
      ) : (
        <Spinner />
      )}
    </Card>
  )
}

function People({ people }: { people: readonly CrewOnFloor[] }): JSX.Element {
  const { shown, toggle } = useFold(
    people,
    useMedia('(width < 40rem)') ? maxCollapsed.phone : maxCollapsed.other,
  )
  if (people.length === 0) return <p className="text-text-mute">{t('Nobody is assigned today')}</p>
  return (
    <>
      <ul className="-my-2 grid gap-x-8 xl:grid-cols-2">
        {shown.map(({ id, name, role, tables, onBreak }) => (
          <li
            key={id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-rule py-2 last:border-0 xl:odd:nth-last-2:border-0"
          >
            <span className="min-w-0 flex-1 basis-40 wrap-anywhere">
              <strong>{name}</strong> <span className="text-text-mute">{t(role)}</span>
            </span>
            {onBreak && <Badge tone="outline">{t('On break')}</Badge>}
            <span className="flex max-w-full flex-wrap gap-1">
              {tables.toSorted(compareNatural).map((table) => (
                <Badge key={table}>{table}</Badge>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {toggle}
    </>
  )
}
