import { type JSX, type ReactNode } from 'react'
import { type ServiceType, serviceTypeLabels } from '#contract/requests.ts'
import { ServiceIcon } from '../../ui/service-icon.tsx'
import type { Place } from './guest-flow.ts'
import { PlaceFields } from './place-fields.tsx'
import { Title } from './title.tsx'

const options: ServiceType[] = ['drinks', 'food', 'check', 'assistance', 'other']

/** Its buttons belong to the tap queue, which stands in the page itself: it hears them before and after the app. */
export function ServiceMenu({
  place,
  formId,
  follows,
  children,
}: {
  place: Place
  formId: string
  follows: boolean
  children: ReactNode
}): JSX.Element {
  return (
    <main>
      <Title follows={follows}>What do you need?</Title>
      {children}
      <form className="services low" method="post" action="/customer">
        <input type="hidden" name="action" value="ask" />
        <input type="hidden" name="id" value={formId} />
        <PlaceFields {...place} />
        {options.map((type) => (
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
