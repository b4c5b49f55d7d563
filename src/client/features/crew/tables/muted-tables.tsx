import BellOff from 'lucide-react/icons/bell-off'
import { type JSX, useId } from 'react'
import { localName } from '#contract/names.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatTime } from '../../../lib/time/dates.ts'
import { Button } from '../../../ui/button.tsx'
import type { MutedTablesState } from './use-muted-tables.ts'

/** Listed above the requests, so that no muted table is forgotten. */
export function MutedTables({
  mutedTables: { all, unmute },
}: {
  mutedTables: MutedTablesState
}): JSX.Element {
  const heading = useId()
  return (
    <section aria-labelledby={heading} className="mb-2 rounded-ticket border border-rule ps-4 pe-1">
      <h3 id={heading} className="sr-only">
        {t('Muted tables')}
      </h3>
      <ul>
        {all.map(({ tableNumber, until, by }) => (
          <li key={tableNumber} className="flex flex-wrap items-center gap-x-3 py-1">
            <BellOff aria-hidden size={20} className="shrink-0 text-text-mute" />
            <p className="min-w-0 flex-1 basis-32 leading-tight wrap-anywhere">
              <strong className="font-semibold">{t('Table {table}', { table: tableNumber })}</strong>{' '}
              <span className="text-text-mute">
                {until === null
                  ? t('muted until unmuted')
                  : t('muted until {time}', { time: formatTime(until) })}{' '}
                · {localName(by.name, t)}
              </span>
            </p>
            <Button
              variant="quiet"
              size={44}
              aria-label={t('Unmute table {table}', { table: tableNumber })}
              onClick={() => unmute(tableNumber)}
            >
              {t('Unmute')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
