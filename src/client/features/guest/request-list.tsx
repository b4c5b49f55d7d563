import { type JSX, type ReactNode, type SubmitEvent, useEffect } from 'react'
import { type ServiceRequest, type ServiceType, serviceTypeLabels } from '#contract/requests.ts'
import { useTask } from '../../lib/use-task.ts'
import { ServiceIcon } from '../../ui/service-icon.tsx'
import type { Place } from './guest-flow.ts'
import type { Tap } from './outbox.ts'
import { PlaceFields } from './place-fields.tsx'
import { doneShownMs, requestStatusWithCount, type TableRequests } from './table-requests.ts'

export type RequestAction = 'cancel' | 'still-waiting'

type RequestListProps = {
  place: Place
  sending: readonly Tap[]
  table: TableRequests
  /** Whether this device sent it: only then may it cancel it or send a reminder. */
  isMine: (id: string) => boolean
  /** Whether the guest may send a reminder. */
  isLate: (request: ServiceRequest) => boolean
  onDoneSeen: (id: string) => void
  /** Resolves when the server has answered. */
  onAction: (action: RequestAction, request: ServiceRequest) => Promise<void>
}

/** The table's requests with their status. The newest is closest to the thumb. */
export function RequestList(props: RequestListProps): JSX.Element {
  const { place, sending, table, isMine, isLate, onDoneSeen, onAction } = props
  return (
    <ul className="requests">
      {table.done.map((request) => (
        <DoneRow key={request.id} request={request} onSeen={onDoneSeen} />
      ))}
      {table.open.map((request) => (
        <Row
          key={request.id}
          id={request.id}
          type={request.serviceType}
          state={requestStatusWithCount(request)}
        >
          {isMine(request.id) && isLate(request) && (
            <Action name="still-waiting" label="Still waiting" {...{ request, place, onAction }} />
          )}
          {isMine(request.id) && (
            <Action name="cancel" label="Cancel request" {...{ request, place, onAction }} />
          )}
        </Row>
      ))}
      {sending.map(({ id, serviceType }) => (
        <Row key={id} id={id} type={serviceType} state="Sending…" />
      ))}
    </ul>
  )
}

const labelId = (id: string): string => `request-${id}`

function DoneRow({
  request,
  onSeen,
}: {
  request: ServiceRequest
  onSeen: (id: string) => void
}): JSX.Element {
  const { id, serviceType } = request
  useEffect(() => {
    const timer = setTimeout(() => onSeen(id), doneShownMs)
    return () => clearTimeout(timer)
  }, [id, onSeen])
  return <Row id={id} type={serviceType} state="Done" done />
}

type RowProps = { id: string; type: ServiceType; state: string; done?: boolean; children?: ReactNode }

function Row({ id, type, state, done = false, children }: RowProps): JSX.Element {
  return (
    <li data-done={done || undefined}>
      <ServiceIcon type={type} size={24} />
      <p>
        <b id={labelId(id)}>{serviceTypeLabels[type]}</b> <span>{state}</span>
      </p>
      {children}
    </li>
  )
}

type ActionProps = {
  name: RequestAction
  label: string
  request: ServiceRequest
  place: Place
  onAction: RequestListProps['onAction']
}

function Action({ name, label, request, place, onAction }: ActionProps): JSX.Element {
  const [pending, run] = useTask()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void run(() => onAction(name, request))
  }
  return (
    <form method="post" action="/customer" onSubmit={submit}>
      <input type="hidden" name="action" value={name} />
      <input type="hidden" name="id" value={request.id} />
      <PlaceFields {...place} k={null} />
      <button className="outline" disabled={pending} aria-describedby={labelId(request.id)}>
        {label}
      </button>
    </form>
  )
}
