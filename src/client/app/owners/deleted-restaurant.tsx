import type { JSX } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { DeletedRestaurantNotice } from '../../ui/page/deleted-restaurant.tsx'
import { Page, PageNavigation } from '../../ui/page/page.tsx'
import { OwnerNavigationOfCrewScreen } from './owner-navigation.tsx'

/** In the place of the crew's screens, which have nothing to show or to sound. */
export function DeletedRestaurant({ eraseAt }: { eraseAt: number }): JSX.Element {
  return (
    <PageNavigation value={<OwnerNavigationOfCrewScreen />}>
      <Page theme="dark" title={t('Crew Dashboard')}>
        <DeletedRestaurantNotice eraseAt={eraseAt} />
      </Page>
    </PageNavigation>
  )
}
