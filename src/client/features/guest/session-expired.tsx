import type { JSX, ReactNode, SubmitEvent } from 'react'
import { barrierMessages } from '#contract/requests/requests.ts'
import { useTask } from '../../lib/hooks/use-task.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'
import { t } from '../../lib/texts/translate.ts'
import { PlaceFields } from './entry/place-fields.tsx'
import { StepTitle } from './entry/step-title.tsx'
import type { Place } from './guest-flow.ts'
import { visitExpiredText } from './visit.ts'

type SessionExpiredProps = {
  place: Place
  takesFocus: boolean
  /** The crew has closed the table. */
  ended: boolean
  onReset: () => Promise<void>
  children: ReactNode
}

export function SessionExpired({
  place,
  takesFocus,
  ended,
  onReset,
  children,
}: SessionExpiredProps): JSX.Element {
  const [pending, run] = useTask()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void run(onReset)
  }
  return (
    <main>
      <StepTitle takesFocus={takesFocus}>{t('Session Expired')}</StepTitle>
      <p className="lead">
        {t(ended ? barrierMessages.visit_expired : visitExpiredText)}{' '}
        {t('Please scan the QR code again or reset your session to continue.')}
      </p>
      <p>{tRich('Table: {table}', { table: <bdi>{place.tableNumber}</bdi> })}</p>
      {children}
      <form className="low" method="post" action="/customer" onSubmit={submit}>
        <input type="hidden" name="action" value="reset" />
        <PlaceFields {...place} />
        <button className="primary" disabled={pending}>
          {t('Start New Session')}
        </button>
      </form>
    </main>
  )
}
