import { type JSX, type SubmitEvent, useState } from 'react'
import type { Place } from './guest-flow.ts'
import { visitExpiredText } from './outbox.ts'
import { PlaceFields } from './place-fields.tsx'
import { StepTitle } from './step-title.tsx'

type SessionExpiredProps = { place: Place; takesFocus: boolean; onReset: () => Promise<void> }

export function SessionExpired({ place, takesFocus, onReset }: SessionExpiredProps): JSX.Element {
  const [pending, setPending] = useState(false)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    setPending(true)
    await onReset()
    setPending(false)
  }
  return (
    <main>
      <StepTitle takesFocus={takesFocus}>Session Expired</StepTitle>
      <p className="lead">
        {visitExpiredText} Please scan the QR code again or reset your session to continue.
      </p>
      <p>Table: {place.tableNumber}</p>
      <form className="low" method="post" action="/customer" onSubmit={(event) => void submit(event)}>
        <input type="hidden" name="action" value="reset" />
        <PlaceFields {...place} />
        <button className="primary" disabled={pending}>
          Start New Session
        </button>
      </form>
    </main>
  )
}
