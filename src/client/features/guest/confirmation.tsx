import Check from 'lucide-react/icons/check'
import { type JSX, type ReactNode, useEffect, useRef } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { PlaceFields } from './entry/place-fields.tsx'
import { StepTitle } from './entry/step-title.tsx'
import type { Place } from './guest-flow.ts'

const returnToMenuMs = 3000

type ConfirmationProps = {
  place: Place
  /** What was asked for. */
  need: string
  takesFocus: boolean
  /** Whether somebody is listening, as far as this phone can tell; otherwise `children` say what to do. */
  isHeard: boolean
  children: ReactNode
  onAnother: () => void
}

/** Shown once the server has stored the request. Returns to the menu by itself. */
export function Confirmation(props: ConfirmationProps): JSX.Element {
  const { place, need, takesFocus, isHeard, children, onAnother } = props
  const returnToMenu = useRef(onAnother)
  useEffect(() => {
    returnToMenu.current = onAnother
  })
  useEffect(() => {
    const timer = setTimeout(() => returnToMenu.current(), returnToMenuMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <main>
      {children}
      <div className="sent">
        <span className="tick">
          <Check aria-hidden size={56} />
        </span>
        <StepTitle takesFocus={takesFocus}>{isHeard ? t('Request Sent!') : t('Sent')}</StepTitle>
        {isHeard && <p className="lead">{t('Your waiter will be with you shortly')}</p>}
        <p>
          <b>{need}</b>
        </p>
      </div>
      <form
        className="low"
        action="/customer"
        onSubmit={(event) => {
          event.preventDefault()
          onAnother()
        }}
      >
        <PlaceFields {...place} />
        <button className="outline">{t('Send Another Request')}</button>
      </form>
    </main>
  )
}
