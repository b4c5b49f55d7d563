import type { JSX, ReactNode } from 'react'
import { api } from '#contract/api.ts'
import { useApiQueryOrNull, useFreshApiQuery } from '../../api/queries.ts'
import { IgnoreSecondTaps } from '../../lib/browser/second-taps.ts'
import { DeletedRestaurantNotice } from '../../ui/page/deleted-restaurant.tsx'
import { PageNavigation, PageNotice } from '../../ui/page/page.tsx'
import { ForOwners } from './for-owners.tsx'
import { ManagerNavigation, OwnerNavigation } from './owner-navigation.tsx'
import { RestaurantsLink } from './restaurants-link.tsx'
import { useLoginCheck } from './use-login-check.ts'

/** Has a header of its own for managers. */
const managersPortal = /^\/management-dashboard(\/|$)/iu

/** Not only for the owner. */
const sharedPaths = /^\/(management-dashboard|security|portal-selection)(\/|$)/iu

type PortalFrameProps = { isOwner: boolean; path: string; children: ReactNode }

/** Around every page of the portals: the way to the others, and what tells people who is meant and what is deleted. */
export function PortalFrame({ isOwner, path, children }: PortalFrameProps): JSX.Element {
  const { data: session } = useFreshApiQuery(api.accounts.session, isOwner ? {} : null)
  const { data: others } = useApiQueryOrNull(api.accounts.session, isOwner ? null : {})
  const isManager = others?.manager !== undefined && !others.grants.includes('owner')
  useLoginCheck(isOwner ? 'owner' : isManager ? 'manager' : null, path)
  const eraseAt = session?.eraseAt
  const navigation = isOwner ? (
    <OwnerNavigation restaurants={<RestaurantsLink />} />
  ) : (
    isManager && !managersPortal.test(path) && <ManagerNavigation />
  )
  return (
    <PageNavigation value={navigation}>
      <IgnoreSecondTaps />
      <PageNotice value={eraseAt !== undefined && <DeletedRestaurantNotice eraseAt={eraseAt} />}>
        {isOwner || sharedPaths.test(path) ? children : <ForOwners path={path}>{children}</ForOwners>}
      </PageNotice>
    </PageNavigation>
  )
}
