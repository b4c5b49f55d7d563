import type { JSX, SubmitEvent } from 'react'
import { useTask } from '../../lib/use-task.ts'
import type { Place } from './guest-flow.ts'
import { visitExpiredText } from './outbox.ts'
import { PlaceFields } from './place-fields.tsx'
import { StepTitle } from './step-title.tsx'

type SessionExpiredProps = { place: Place; takesFocus: boolean; onReset: () => Promise<void> }

export function SessionExpired({ place, takesFocus, onReset }: SessionExpiredProps): JSX.Element {
  const [pending, run] = useTask()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void run(onReset)
  }
  return (
    <main>
      <StepTitle takesFocus={takesFocus}>Session Expired</StepTitle>
      <p className="lead">
        {visitExpiredText} Please scan the QR code again or reset your session to continue.
      </p>
      <p>Table: {place.tableNumber}</p>
      <form className="low" method="post" action="/customer" onSubmit={submit}>
        <input type="hidden" name="action" value="reset" />
        <PlaceFields {...place} />
        <button className="primary" disabled={pending}>
          Start New Session
        </button>
      </form>
    </main>
  )
}
