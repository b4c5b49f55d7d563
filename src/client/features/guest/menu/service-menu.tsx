import Hourglass from 'lucide-react/icons/hourglass'
import { type JSX, type ReactNode } from 'react'
import {
  type Availability,
  type Barrier,
  barrierMessages,
  serviceTypes,
} from '#contract/requests/requests.ts'
import { t } from '../../../lib/texts/translate.ts'
import { ServiceIcon } from '../../../ui/requests/service-icon.tsx'
import { CardLinks } from '../card/card-links.tsx'
import { PlaceFields } from '../entry/place-fields.tsx'
import { StepTitle } from '../entry/step-title.tsx'
import type { Place } from '../guest-flow.ts'
import { nameOf, type Needs, ownNeeds } from './own-needs.ts'

const barrierReasons: Record<Barrier, string> = {
  code_required: 'It tells the crew that you are really here.',
  table_muted: 'Requests from this table are switched off for now.',
  table_closed: 'Then you can ask here for whatever you need.',
  visit_expired: '',
}

/** Its buttons are handled by the tap queue, the page's inline script, even after the app has loaded. */
export function ServiceMenu({
  needs,
  place,
  formId,
  takesFocus,
  barrier,
  asked,
  isUnavailable,
  onScan,
  card,
  children,
}: {
  /** The restaurant's own arrangement, instead of the six services. */
  needs: Needs
  place: Place
  formId: string
  takesFocus: boolean
  /** Shown instead of the buttons. */
  barrier: Barrier | null
  /** What the table waits for. */
  asked: ReadonlySet<string>
  isUnavailable: (need: string) => boolean
  onScan: () => void
  card: Availability['card']
  children: ReactNode
}): JSX.Element {
  if (barrier) {
    return (
      <main>
        <div className="barrier">
          <StepTitle key={barrier} takesFocus={takesFocus}>
            {t(barrierMessages[barrier])}
          </StepTitle>
          <p className="lead">{t(barrierReasons[barrier])}</p>
        </div>
        {children}
        {barrier === 'code_required' && (
          <button type="button" className="primary low js-only" onClick={onScan}>
            {t('Scan QR Code')}
          </button>
        )}
        {card && <CardLinks card={card} place={place} />}
      </main>
    )
  }
  const { part } = ownNeeds
  return (
    <main>
      <div className="state">{children}</div>
      <StepTitle takesFocus={takesFocus}>{t('What do you need?')}</StepTitle>
      {needs && part ? (
        <part.Tiles {...{ needs, place, formId, asked, isUnavailable }} />
      ) : (
        <form className="services low" method="post" action="/customer">
          <input type="hidden" name="action" value="ask" />
          <input type="hidden" name="id" value={formId} />
          <PlaceFields {...place} />
          {needs && <input type="hidden" name="serviceType" value="other" />}
          {/* Call Waiter comes first for whoever reads one after the other; it is shown last, below the thumb. */}
          {(needs?.map(({ id }) => id) ?? serviceTypes).map((id) => (
            <ServiceButton
              key={id}
              id={id}
              needs={needs}
              isAsked={asked.has(id)}
              isLit={asked.size === 0}
              // A repeat is always taken.
              disabled={isUnavailable(id) && !asked.has(id)}
            />
          ))}
        </form>
      )}
      {card && <CardLinks card={card} place={place} />}
    </main>
  )
}

type ServiceButtonProps = {
  id: string
  needs: Needs
  isAsked: boolean
  /** Only one thing is: Call Waiter until something is asked, the answer from then on. */
  isLit: boolean
  disabled: boolean
}

/** Of the restaurant's own needs where their part cannot be loaded: as they are called, without choices and notes. */
function ServiceButton({ id, needs, isAsked, isLit, disabled }: ServiceButtonProps): JSX.Element {
  const type = serviceTypes.find((each) => each === id)
  const serviceType = type ?? 'other'
  return (
    <button
      name={type ? 'serviceType' : 'need'}
      value={id}
      disabled={disabled}
      className={type === 'general' ? 'primary' : undefined}
      data-asked={isAsked || undefined}
      data-lit={(isLit && !disabled) || undefined}
      data-sending={t('Sending…')}
      data-sent={t('Sent')}
    >
      <ServiceIcon type={serviceType} size={24} />
      {isAsked && <Hourglass aria-hidden size={16} />}
      {nameOf({ serviceType, need: id }, needs)}
    </button>
  )
}
