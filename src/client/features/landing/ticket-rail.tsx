import type { JSX } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { ServiceIcon } from '../../ui/service-icon.tsx'

const tickets = [
  { table: '4', type: 'assistance', label: 'Assistance', ago: '2m ago', edge: 'h-full bg-late', late: true },
  { table: '12', type: 'drinks', label: 'Drinks', ago: '48s ago', edge: 'h-3/5 bg-action', late: false },
  {
    table: '7',
    type: 'check',
    label: 'Check/Bill',
    ago: '3s ago',
    edge: 'h-1/6 bg-rule-strong',
    late: false,
  },
] as const

/** An illustration of the crew's screen: the longer a table waits, the warmer its ticket. */
export function TicketRail(): JSX.Element {
  return (
    <div
      aria-hidden
      data-theme="dark"
      className="flex flex-col gap-3 rounded-primary bg-ground p-4 text-text select-none sm:p-8"
    >
      {tickets.map(({ table, type, label, ago, edge, late }) => (
        <div
          key={table}
          className={classNames(
            'relative grid grid-cols-[3.5rem_minmax(0,1fr)] items-center gap-2 sm:grid-cols-[4.5rem_1fr] overflow-hidden rounded-ticket py-4 ps-6 pe-4',
            late ? 'bg-plate-late' : 'bg-plate',
          )}
        >
          <span className={classNames('absolute inset-s-0 bottom-0 w-2', edge)} />
          <span className="font-display text-3xl font-bold">{table}</span>
          <span>
            <span className="flex items-center gap-2 text-lg font-semibold">
              <ServiceIcon type={type} /> {label}
            </span>
            <span className="text-base text-text-mute">{ago}</span>
          </span>
        </div>
      ))}
    </div>
  )
}
