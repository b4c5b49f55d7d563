import BellOff from 'lucide-react/icons/bell-off'
import { type JSX, useId } from 'react'
import { Button } from '../../../ui/button.tsx'
import type { TableMutes } from './use-muted-tables.ts'

/** Listed above the requests, so that no muted table is forgotten. */
export function MutedTables({ mutes: { all, unmute } }: { mutes: TableMutes }): JSX.Element | null {
  const heading = useId()
  if (all.length === 0) return null
  return (
    <section aria-labelledby={heading} className="rounded-ticket border border-rule ps-4 pe-1">
      <h3 id={heading} className="sr-only">
        Muted tables
      </h3>
      <ul>
        {all.map(({ tableNumber, until, by }) => (
          <li key={tableNumber} className="flex items-center gap-3 py-1">
            <BellOff aria-hidden size={20} className="shrink-0 text-text-mute" />
            <p className="min-w-0 flex-1 leading-tight wrap-anywhere">
              <strong className="font-semibold">Table {tableNumber}</strong>{' '}
              <span className="text-text-mute">
                muted {until === null ? 'until unmuted' : `until ${formatTime(until)}`} · {by.name}
              </span>
            </p>
            <Button
              variant="quiet"
              size={44}
              aria-label={`Unmute table ${tableNumber}`}
              onClick={() => unmute(tableNumber)}
            >
              Unmute
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const formatTime = (at: number): string =>
  new Date(at).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })
