import type { JSX } from 'react'
import { useIsDeleted } from '../../api/use-is-deleted.ts'
import { PortalSelection } from '../../features/accounts/portal-selection.tsx'
import { OwnerHome } from '../../features/owner/owner-home.tsx'
import { Restaurants } from '../../features/owner/restaurants.tsx'
import { lazyPart } from '../../lib/hooks/lazy.tsx'

const FirstSteps = lazyPart(
  async () => (await import('../../features/owner/first-steps/first-steps.tsx')).FirstSteps,
)

/** A deleted restaurant is not set up any further. */
const StepsUnlessDeleted = (): JSX.Element | null => (useIsDeleted() ? null : <FirstSteps />)

/** Where a new owner lands after signing up, and after subscribing. */
export const PortalsWithFirstSteps = (): JSX.Element => (
  <PortalSelection firstSteps={<StepsUnlessDeleted />} />
)
export const HomeWithFirstSteps = (): JSX.Element => <OwnerHome firstSteps={<StepsUnlessDeleted />} />

/** Beside the home, which an owner of several opens from it. */
export { Restaurants }
