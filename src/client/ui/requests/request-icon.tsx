import type { ComponentProps, JSX } from 'react'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import type { NeedIcon } from './need-icon.tsx'
import { ServiceIcon } from './service-icon.tsx'

type RequestIconProps = {
  request: {
    serviceType: ComponentProps<typeof ServiceIcon>['type']
    need?: { icon?: ComponentProps<typeof NeedIcon>['icon'] | undefined } | undefined
  }
  size?: number
}

/** Only restaurants with needs of their own load the icons of these. */
const OwnIcon = lazyPart(async () => (await import('./need-icon.tsx')).NeedIcon, {
  fallback: () => <ServiceIcon type="other" />,
})

export const RequestIcon = ({ request: { serviceType, need }, size }: RequestIconProps): JSX.Element =>
  need?.icon ? <OwnIcon icon={need.icon} size={size} /> : <ServiceIcon type={serviceType} size={size} />
