import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import { type CrewMember, type CrewRole, crewRoles } from '#contract/crew.ts'
import { type QuickMessageKey, quickMessageLabels } from '#contract/messages.ts'
import type { RoleCall } from '#contract/shift.ts'
import { useApiQuery } from '../../api/queries.ts'
import { compareNatural } from '../../lib/natural-order.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/form/select-field.tsx'
import { QuickMessages } from './quick-messages.tsx'
import type { RoleCalls } from './use-role-calls.ts'

type RoleCallsListProps = { me: CrewMember; calls: RoleCalls }

/** The unclaimed calls to the crew member's own role and by the crew member. */
export function RoleCallsList({ me, calls }: RoleCallsListProps): JSX.Element | null {
  if (calls.shown.length === 0) return null
  return (
    <div role="status" className="flex flex-col gap-2">
      {calls.shown.map((call) => (
        <RoleCallCard
          key={call.id}
          call={call}
          own={call.from.id === me.id}
          pending={calls.pendingIds.has(call.id)}
          onClaim={calls.claim}
        />
      ))}
    </div>
  )
}

type RoleCallCardProps = {
  call: RoleCall
  own: boolean
  pending: boolean
  onClaim: (call: RoleCall) => void
}

/** Claiming one's own call cancels it: nobody is alerted anymore. */
function RoleCallCard({ call, own, pending, onClaim }: RoleCallCardProps): JSX.Element {
  const { role, messageKey, tableNumber, from, alerts } = call
  const details = [
    tableNumber && `Table ${tableNumber}`,
    `${from.name} asks any ${role}`,
    alerts > 1 && `${alerts}×`,
  ]
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 rounded-ticket border border-action bg-plate px-4 py-2">
      <div className="min-w-0">
        <p className="font-semibold">{quickMessageLabels[messageKey]}</p>
        <p className="text-base wrap-anywhere text-text-mute">{details.filter(Boolean).join(' · ')}</p>
      </div>
      {pending ? (
        <p className="text-base text-text-mute">Sending…</p>
      ) : (
        <Button onClick={() => onClaim(call)}>{own ? 'Take back' : "I'll do it"}</Button>
      )}
    </div>
  )
}

type AskRoleProps = {
  me: CrewMember
  /** The restaurant's name; null while unknown. */
  restaurantId: string | null
  /** The tables of `me` today. */
  tables: readonly string[]
  onAsk: RoleCalls['ask']
}

/** A quick message to anybody free in a role, about a table if one is chosen. */
export function AskRole({ me, restaurantId, tables, onAsk }: AskRoleProps): JSX.Element {
  const [table, setTable] = useState('')
  const ask = (role: CrewRole, messageKey: QuickMessageKey): void => {
    onAsk(role, messageKey, table === '' ? null : table)
    setTable('')
  }
  return (
    <section aria-labelledby="ask-role" className="flex flex-col gap-2">
      <h3 id="ask-role" className="text-base font-semibold text-text-mute">
        ASK ANYBODY
      </h3>
      <TableSelect restaurantId={restaurantId} own={tables} value={table} onChange={setTable} />
      {crewRoles.map((role) => (
        <div key={role} className="flex flex-wrap items-center justify-between gap-2">
          <span>Any {role}</span>
          <QuickMessages
            role={me.role}
            to={table === '' ? `any ${role}` : `any ${role}, about table ${table}`}
            onPick={(messageKey) => ask(role, messageKey)}
          />
        </div>
      ))}
    </section>
  )
}

type TableSelectProps = {
  restaurantId: string | null
  own: readonly string[]
  value: string
  onChange: (table: string) => void
}

/** The crew member's own tables come first. */
function TableSelect({ restaurantId, own, value, onChange }: TableSelectProps): JSX.Element {
  const { data } = useApiQuery(
    api.floor.tablesByRestaurant,
    restaurantId === null ? null : { query: { restaurantId } },
  )
  const others = (data ?? []).map(({ tableNumber }) => tableNumber).filter((table) => !own.includes(table))
  return (
    <SelectField label="About table" value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">No table</option>
      <TableOptions label="My tables" tables={own} />
      <TableOptions label="Other tables" tables={others.toSorted(compareNatural)} />
    </SelectField>
  )
}

function TableOptions({ label, tables }: { label: string; tables: readonly string[] }): JSX.Element | null {
  if (tables.length === 0) return null
  return (
    <optgroup label={label}>
      {tables.map((table) => (
        <option key={table}>{table}</option>
      ))}
    </optgroup>
  )
}
