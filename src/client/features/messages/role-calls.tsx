import { type JSX, useCallback, useState } from 'react'
import { api } from '#contract/api.ts'
import { type CrewMember, type CrewRole, crewRoles } from '#contract/crew.ts'
import type { OutgoingMessage } from '#contract/live.ts'
import { type QuickMessageKey, quickMessageLabels } from '#contract/messages.ts'
import { LiveError } from '../../api/live.ts'
import { useRead } from '../../api/queries.ts'
import { useLive, useLiveState } from '../../api/use-live.ts'
import { newId } from '../../lib/new-id.ts'
import { byTableNumber } from '../../lib/table-order.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useToast } from '../../ui/toast.tsx'
import { QuickMessages } from './quick-messages.tsx'
import { foldShift, nobodyCalls, type ShiftState } from './shift-fold.ts'

export const useShift = (): ShiftState => useLiveState(foldShift, nobodyCalls)

/** Sends, and says so when it was refused. */
function useTell(): (message: OutgoingMessage) => void {
  const live = useLive()
  const { toast } = useToast()
  return useCallback(
    (message) => {
      live.request(message).catch((problem: unknown) => {
        if (!(problem instanceof LiveError)) throw problem
        toast({ title: 'Error', description: problem.message, destructive: true })
      })
    },
    [live, toast],
  )
}

/** What somebody asks of one's own role, until one of them takes it, and what one asked oneself. */
export function RoleCalls({ me, shift }: { me: CrewMember; shift: ShiftState }): JSX.Element | null {
  const tell = useTell()
  const calls = shift.calls.filter(({ role, from }) => role === me.role || from.id === me.id)
  if (calls.length === 0) return null
  return (
    <div role="status" className="flex flex-col gap-2">
      {calls.map(({ id, role, messageKey, tableNumber, from, alerts }) => (
        <div
          key={id}
          className="flex flex-wrap items-center justify-between gap-2 rounded-ticket border border-action bg-plate px-4 py-2"
        >
          <div className="min-w-0">
            <p className="font-semibold">{quickMessageLabels[messageKey]}</p>
            <p className="text-base text-text-mute">
              {[
                tableNumber && `Table ${tableNumber}`,
                `${from.name} asks any ${role}`,
                alerts > 1 && `${alerts}×`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </p>
          </div>
          {from.id !== me.id && (
            <Button onClick={() => tell({ type: 'claim-role-message', id })}>I'll do it</Button>
          )}
        </div>
      ))}
    </div>
  )
}

type AskRoleProps = {
  me: CrewMember
  /** Its name; null while it is not known. */
  restaurantId: string | null
  /** The tables of `me` today. */
  tables: readonly string[]
}

/** A quick message to whoever of a role is free, about a table if one is chosen. */
export function AskRole({ me, restaurantId, tables }: AskRoleProps): JSX.Element {
  const tell = useTell()
  const [table, setTable] = useState('')
  const ask = (role: CrewRole, messageKey: QuickMessageKey): void => {
    const tableNumber = table === '' ? null : table
    tell({ type: 'send-role-message', id: newId(Date.now()), role, messageKey, tableNumber })
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

/** One's own tables stand first. */
function TableSelect({ restaurantId, own, value, onChange }: TableSelectProps): JSX.Element {
  const { data } = useRead(
    api.floor.tablesByRestaurant,
    restaurantId === null ? null : { query: { restaurantId } },
  )
  const others = (data ?? []).map(({ tableNumber }) => tableNumber).filter((table) => !own.includes(table))
  return (
    <SelectField label="About table" value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">No table</option>
      <Tables label="My tables" tables={own} />
      <Tables label="Other tables" tables={others.toSorted(byTableNumber)} />
    </SelectField>
  )
}

function Tables({ label, tables }: { label: string; tables: readonly string[] }): JSX.Element | null {
  if (tables.length === 0) return null
  return (
    <optgroup label={label}>
      {tables.map((table) => (
        <option key={table}>{table}</option>
      ))}
    </optgroup>
  )
}
