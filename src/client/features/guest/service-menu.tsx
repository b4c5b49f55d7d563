import { type JSX, type ReactNode } from 'react'
import { type Barrier, barrierMessages, type ServiceType, serviceTypeLabels } from '#contract/requests.ts'
import { ServiceIcon } from '../../ui/service-icon.tsx'
import type { Place } from './guest-flow.ts'
import { PlaceFields } from './place-fields.tsx'
import { StepTitle } from './step-title.tsx'

const serviceOptions: ServiceType[] = ['drinks', 'food', 'check', 'assistance', 'other']

const barrierReasons: Record<Barrier, string> = {
  code_required: 'It tells the crew that you are really here.',
  table_muted: 'Requests from this table are switched off for now.',
}

/** Its buttons are handled by the tap queue, the page's inline script, even after the app has loaded. */
export function ServiceMenu({
  place,
  formId,
  takesFocus,
  barrier,
  onScan,
  children,
}: {
  place: Place
  formId: string
  takesFocus: boolean
  /** Shown instead of the buttons. */
  barrier: Barrier | null
  onScan: () => void
  children: ReactNode
}): JSX.Element {
  if (barrier) {
    return (
      <main>
        <div className="barrier">
          <StepTitle key={barrier} takesFocus={takesFocus}>
            {barrierMessages[barrier]}
          </StepTitle>
          <p className="lead">{barrierReasons[barrier]}</p>
        </div>
        {children}
        {barrier === 'code_required' && (
          <button type="button" className="primary low js-only" onClick={onScan}>
            Scan QR Code
          </button>
        )}
      </main>
    )
  }
  return (
    <main>
      <StepTitle takesFocus={takesFocus}>What do you need?</StepTitle>
      {children}
      <form className="services low" method="post" action="/customer">
        <input type="hidden" name="action" value="ask" />
        <input type="hidden" name="id" value={formId} />
        <PlaceFields {...place} />
        {serviceOptions.map((type) => (
          <ServiceButton key={type} type={type} />
        ))}
        <ServiceButton type="general" />
      </form>
    </main>
  )
}

function ServiceButton({ type }: { type: ServiceType }): JSX.Element {
  return (
    <button name="serviceType" value={type} className={type === 'general' ? 'primary' : type}>
      {type !== 'other' && <ServiceIcon type={type} size={28} />}
      {serviceTypeLabels[type]}
    </button>
  )
}
