import type { JSX } from 'react'
import { PortalSelection } from '../../features/accounts/portal-selection.tsx'
import { OwnerHome } from '../../features/owner/owner-home.tsx'
import { Restaurants } from '../../features/owner/restaurants.tsx'
import { lazyPart } from '../../lib/hooks/lazy.tsx'

const FirstSteps = lazyPart(
  async () => (await import('../../features/owner/first-steps/first-steps.tsx')).FirstSteps,
)

/** Where a new owner lands after signing up, and after subscribing. */
export const PortalsWithFirstSteps = (): JSX.Element => <PortalSelection firstSteps={<FirstSteps />} />
export const HomeWithFirstSteps = (): JSX.Element => <OwnerHome firstSteps={<FirstSteps />} />

/** Beside the home, which an owner of several opens from it. */
export { Restaurants }
