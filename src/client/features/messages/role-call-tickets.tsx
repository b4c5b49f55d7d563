import './role-call-tickets.css'
import Megaphone from 'lucide-react/icons/megaphone'
import { type JSX, useCallback, useId } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import { quickMessageLabels } from '#contract/crew/messages.ts'
import type { RoleCall } from '#contract/crew/shift.ts'
import { firstName } from '#contract/names.ts'
import { useRoleCallAlerts } from '../../api/live/use-role-call-alerts.ts'
import { afterPaint } from '../../lib/hooks/after-paint.ts'
import { useFocusAfterRemoval } from '../../lib/hooks/use-focus-after-removal.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'
import { t } from '../../lib/texts/translate.ts'
import { classNames } from '../../ui/class-names.ts'
import { isLongName, TableNumber } from '../../ui/requests/table-number.tsx'
import { TimeText } from '../../ui/requests/time-text.tsx'
import { useToast } from '../../ui/toast/toast.tsx'
import { callText, useRoleCalls } from './use-role-calls.ts'

export type RoleCallTicketsProps = {
  me: CrewMember
  /** Whom `me` leaves to others. */
  declined: ReadonlySet<string>
  onDecline: (id: string) => void
}

/** What colleagues ask of anybody in the role of `me`: tickets of their own, above those of the guests. */
export function RoleCallTickets({ me, declined, onDecline }: RoleCallTicketsProps): JSX.Element | null {
  const { shown, pendingIds, claim } = useRoleCalls(me)
  useCallToast(me)
  const calls = shown.filter(({ id, from }) => from.id !== me.id && !declined.has(id))
  const { container, markRemoved } = useFocusAfterRemoval<HTMLUListElement>(
    calls,
    '.ticket-claim',
    '#requests',
  )
  if (calls.length === 0) return null
  return (
    <ul ref={container} className="tickets role-calls">
      {calls.map((call, index) => (
        <RoleCallTicket
          key={call.id}
          call={call}
          pending={pendingIds.has(call.id)}
          onClaim={() => {
            markRemoved(call, index)
            claim(call)
          }}
          onDecline={() => {
            markRemoved(call, index)
            afterPaint(() => onDecline(call.id))
          }}
        />
      ))}
    </ul>
  )
}

/** The repeats only sound. */
function useCallToast(me: CrewMember): void {
  const { toast } = useToast()
  useRoleCallAlerts(
    me,
    useCallback(
      (calls: readonly RoleCall[], isRepeat: boolean) => {
        if (isRepeat) return
        for (const call of calls) {
          const title = t('{name} asks any {role}', { name: firstName(call.from.name), role: t(call.role) })
          toast({ title, description: callText(call) })
        }
      },
      [toast],
    ),
  )
}

type RoleCallTicketProps = {
  call: RoleCall
  pending: boolean
  onClaim: () => void
  onDecline: () => void
}

function RoleCallTicket({ call, pending, onClaim, onDecline }: RoleCallTicketProps): JSX.Element {
  const { role, messageKey, tableNumber, from, alerts, timestamp } = call
  const title = useId()
  return (
    <li className={classNames('ticket role-call', isLongName(tableNumber ?? '') && 'ticket-long')}>
      <h3 id={title}>
        {tableNumber !== null && (
          <>
            <span className="ticket-word">{t('Table')}</span> <TableNumber>{tableNumber}</TableNumber>
          </>
        )}
        <span className="sr-only"> {t(quickMessageLabels[messageKey])}</span>
      </h3>
      <div className="ticket-words">
        <p aria-hidden className="ticket-type">
          <Megaphone size={22} />
          <span className="min-w-0 flex-1">{t(quickMessageLabels[messageKey])}</span>
        </p>
        <p className="ticket-meta">
          <span>
            {tRich('{name} asks any {role}', { name: <bdi>{firstName(from.name)}</bdi>, role: t(role) })}
          </span>
          <TimeText at={timestamp} />
          {alerts > 1 && <span>{alerts}×</span>}
        </p>
      </div>
      <div className="ticket-actions">
        {pending ? (
          <p className="ticket-unsent">{t('Sending…')}</p>
        ) : (
          <>
            <button type="button" aria-describedby={title} className="ticket-claim" onClick={onClaim}>
              {t("I'll do it")}
            </button>
            <button type="button" aria-describedby={title} className="ticket-decline" onClick={onDecline}>
              {t('Not me')}
            </button>
          </>
        )}
      </div>
    </li>
  )
}
