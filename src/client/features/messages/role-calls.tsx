import { type JSX, useCallback } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import { crewRoles } from '#contract/crew.ts'
import type { OutgoingMessage } from '#contract/live.ts'
import { quickMessageLabels } from '#contract/messages.ts'
import { LiveError } from '../../api/live.ts'
import { useLive, useLiveState } from '../../api/use-live.ts'
import { newId } from '../../lib/new-id.ts'
import { Button } from '../../ui/button.tsx'
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
  const onBreak = shift.breaks.find(({ crewMemberId }) => crewMemberId === me.id)
  if (calls.length === 0 && !onBreak) return null
  return (
    <div role="status" className="flex flex-col gap-2">
      {onBreak && (
        <div className="flex flex-wrap items-center justify-between gap-2 rounded-ticket bg-plate-2 px-4 py-2">
          <p>You are on a break</p>
          <Button variant="primary" onClick={() => tell({ type: 'end-break' })}>
            Back from break
          </Button>
        </div>
      )}
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

/** A quick message to whoever of a role is free. */
export function AskRole({ me }: { me: CrewMember }): JSX.Element {
  const tell = useTell()
  return (
    <section aria-labelledby="ask-role" className="flex flex-col gap-2">
      <h3 id="ask-role" className="text-base font-semibold text-text-mute">
        ASK ANYBODY
      </h3>
      {crewRoles.map((role) => (
        <div key={role} className="flex flex-wrap items-center justify-between gap-2">
          <span>Any {role}</span>
          <QuickMessages
            role={me.role}
            to={`any ${role}`}
            onPick={(messageKey) =>
              tell({ type: 'send-role-message', id: newId(Date.now()), role, messageKey, tableNumber: null })
            }
          />
        </div>
      ))}
    </section>
  )
}
