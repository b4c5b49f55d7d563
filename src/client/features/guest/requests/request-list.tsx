import X from 'lucide-react/icons/x'
import type { JSX, ReactNode, SubmitEvent } from 'react'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'
import { ServiceIcon } from '../../../ui/requests/service-icon.tsx'
import { PlaceFields } from '../entry/place-fields.tsx'
import type { Place } from '../guest-flow.ts'
import { expectedText, formatAge } from '../language.ts'
import { type Asked, nameOf, type Needs, ownNeeds } from '../menu/own-needs.ts'
import { recallOwnNote } from '../taps/guest-storage.ts'
import type { Tap } from '../taps/outbox.ts'
import { crewName, progressOf, requestStatus, type TableRequests } from './table-requests.ts'

export type RequestAction = 'cancel' | 'still-waiting'

type RequestListProps = {
  place: Place
  sending: readonly Tap[]
  table: TableRequests
  /** In epoch milliseconds, by the server's clock. */
  now: number
  /** Whether this device sent it: only then may it cancel it or send a reminder. */
  isMine: (id: string) => boolean
  /** Whether the guest may send a reminder. */
  canRemind: (request: ServiceRequest) => boolean
  /** Resolves when the server has answered. */
  onAction: (action: RequestAction, request: ServiceRequest) => Promise<void>
  /** Null while taps get through: then they are sent before anybody could take them back. */
  onWithdraw: ((tap: Tap) => void) | null
}

/** The table's requests with their status. The one that has come furthest leads, as the big card. */
export function RequestList(props: RequestListProps): JSX.Element {
  const { place, sending, table, now, isMine, canRemind, onAction, onWithdraw } = props
  const rows = [
    ...table.done.map((request) => ({
      progress: 4,
      row: (
        <Row
          key={request.id}
          id={request.id}
          asked={request}
          needs={table.needs}
          progress={4}
          state={t('Done')}
        />
      ),
    })),
    ...table.open.map((request) => ({
      progress: progressOf(request),
      row: (
        <Row
          key={request.id}
          id={request.id}
          asked={request}
          needs={table.needs}
          progress={progressOf(request)}
          state={<Status request={request} />}
          details={detailsOf(request, table.listening, now)}
        >
          {isMine(request.id) && canRemind(request) && (
            <Action name="still-waiting" {...{ request, place, onAction }}>
              {t('Still waiting')}
            </Action>
          )}
          {isMine(request.id) && (
            <Action name="cancel" {...{ request, place, onAction }}>
              {cancelLabel()}
            </Action>
          )}
        </Row>
      ),
    })),
    ...sending.map((tap) => ({
      progress: 0,
      row: (
        <Row key={tap.id} id={tap.id} asked={tap} needs={table.needs} progress={0} state={t('Sending…')}>
          {onWithdraw && (
            <div className="cancel">
              <button type="button" aria-describedby={labelId(tap.id)} onClick={() => onWithdraw(tap)}>
                {cancelLabel()}
              </button>
            </div>
          )}
        </Row>
      ),
    })),
  ]
  return (
    <ul className="requests">{rows.toSorted((a, b) => b.progress - a.progress).map(({ row }) => row)}</ul>
  )
}

const cancelLabel = (): ReactNode => (
  <>
    <span>{t('Cancel request')}</span>
    <X aria-hidden size={20} />
  </>
)

function Status({ request }: { request: ServiceRequest }): ReactNode {
  return request.state === 'accepted'
    ? tRich('{name} is on the way', { name: <bdi>{crewName(request.acceptedBy)}</bdi> })
    : requestStatus(request)
}

function detailsOf(request: ServiceRequest, listening: boolean, now: number): string[] {
  const { timestamp, asks, expected } = request
  const age = now - timestamp
  return [
    ...formatAge(age),
    ...(asks > 1 ? [t('asked {count}×', { count: asks })] : []),
    // Nobody can tell how long it takes while nobody reads it.
    ...(expected && listening ? [expectedText(expected, age)] : []),
  ]
}

const labelId = (id: string): string => `request-${id}`

type RowProps = {
  id: string
  asked: Asked
  needs: Needs
  /** How many of the four steps are behind it. */
  progress: number
  state: ReactNode
  details?: string[]
  children?: ReactNode
}

function Row({ id, asked, needs, progress, state, details = [], children }: RowProps): JSX.Element {
  // The server tells it to the crew only.
  const note = asked.note ?? recallOwnNote(id)
  return (
    <li data-done={progress === 4 || undefined}>
      {ownNeeds.part?.iconOf(asked, needs) ?? <ServiceIcon type={asked.serviceType} size={24} />}
      <b id={labelId(id)}>{nameOf(asked, needs)}</b>
      <small>
        {details.map((detail) => (
          <span key={detail}>{detail}</span>
        ))}
      </small>
      <strong>{state}</strong>
      <i aria-hidden>
        {[1, 2, 3, 4].map((step) => (
          <i key={step} data-on={step <= progress || undefined} />
        ))}
      </i>
      {note && <q dir="auto">{note}</q>}
      {children && <div>{children}</div>}
    </li>
  )
}

type ActionProps = {
  name: RequestAction
  request: ServiceRequest
  place: Place
  onAction: RequestListProps['onAction']
  children: ReactNode
}

function Action({ name, request, place, onAction, children }: ActionProps): JSX.Element {
  const [pending, run] = useTask()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void run(() => onAction(name, request))
  }
  return (
    <form className={name} method="post" action="/customer" onSubmit={submit}>
      <input type="hidden" name="action" value={name} />
      <input type="hidden" name="id" value={request.id} />
      <PlaceFields {...place} k={null} />
      <button disabled={pending} aria-describedby={labelId(request.id)}>
        {children}
      </button>
    </form>
  )
}
