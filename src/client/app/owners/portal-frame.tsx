import type { JSX, ReactNode } from 'react'
import { PageNavigation } from '../../ui/page/page.tsx'
import { ForOwners } from './for-owners.tsx'
import { OwnerNavigation } from './owner-navigation.tsx'
import { RestaurantsLink } from './restaurants-link.tsx'

/** Not only for the owner. */
const sharedPaths = /^\/(management-dashboard|security|portal-selection)(\/|$)/iu

type PortalFrameProps = { isOwner: boolean; path: string; children: ReactNode }

/** Around every page of the portals: the way to the others, and what tells people who is meant. */
export function PortalFrame({ isOwner, path, children }: PortalFrameProps): JSX.Element {
  return (
    <PageNavigation value={isOwner && <OwnerNavigation restaurants={<RestaurantsLink />} />}>
      {isOwner || sharedPaths.test(path) ? children : <ForOwners path={path}>{children}</ForOwners>}
    </PageNavigation>
  )
}
