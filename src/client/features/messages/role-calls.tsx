import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import { type CrewMember, type CrewRole, crewRoles } from '#contract/crew/crew.ts'
import { type QuickMessageKey, quickMessageLabels } from '#contract/crew/messages.ts'
import type { RoleCall } from '#contract/crew/shift.ts'
import { useApiQuery } from '../../api/queries.ts'
import { compareNatural } from '../../lib/texts/natural-order.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/form/select-field.tsx'
import { QuickMessages } from './quick-messages.tsx'
import type { RoleCalls } from './use-role-calls.ts'

/** The calls by the crew member that nobody has claimed yet. Those to their role are tickets on the rail. */
export function OwnCallsList({ me, calls }: { me: CrewMember; calls: RoleCalls }): JSX.Element | null {
  const own = calls.shown.filter(({ from }) => from.id === me.id)
  if (own.length === 0) return null
  return (
    <div role="status" className="flex flex-col gap-2">
      {own.map((call) => (
        <OwnCall
          key={call.id}
          call={call}
          pending={calls.pendingIds.has(call.id)}
          onTakeBack={calls.pendingIds.has(call.id) && !calls.askingIds.has(call.id) ? null : calls.takeBack}
        />
      ))}
    </div>
  )
}

type OwnCallProps = { call: RoleCall; pending: boolean; onTakeBack: ((call: RoleCall) => void) | null }

function OwnCall({ call, pending, onTakeBack }: OwnCallProps): JSX.Element {
  const { role, messageKey, tableNumber, from, alerts } = call
  const details = [
    tableNumber && t('Table {table}', { table: tableNumber }),
    t('{name} asks any {role}', { name: from.name, role: t(role) }),
    alerts > 1 && `${alerts}×`,
  ]
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 rounded-ticket border border-rule-strong bg-plate px-4 py-2">
      <div className="min-w-0">
        <p className="font-semibold">{t(quickMessageLabels[messageKey])}</p>
        <p className="text-base wrap-anywhere text-text-mute">{details.filter(Boolean).join(' · ')}</p>
      </div>
      <div className="flex flex-wrap items-center gap-x-4">
        {pending && <p className="text-base text-text-mute">{t('Sending…')}</p>}
        {onTakeBack && <Button onClick={() => onTakeBack(call)}>{t('Take back')}</Button>}
      </div>
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
        {t('ASK ANYBODY')}
      </h3>
      <TableSelect restaurantId={restaurantId} own={tables} value={table} onChange={setTable} />
      {crewRoles.map((role) => (
        <div key={role} className="flex flex-wrap items-center justify-between gap-2">
          <span>{t('Any {role}', { role: t(role) })}</span>
          <QuickMessages
            role={me.role}
            to={
              table === ''
                ? t('any {role}', { role: t(role) })
                : t('any {role}, about table {table}', { role: t(role), table })
            }
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
    <SelectField label={t('About table')} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{t('No table')}</option>
      <TableOptions label={t('My tables')} tables={own} />
      <TableOptions label={t('Other tables')} tables={others.toSorted(compareNatural)} />
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
