import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { InOrder } from '../../../ui/page/in-order.tsx'
import { LanguageSelect } from '../../../ui/page/language-select.tsx'
import { AdminFrame } from '../frame.tsx'
import { Loaded } from '../loaded.tsx'
import { DeleteRestaurant } from '../settings/delete-restaurant.tsx'
import { DownloadEverythingCard, useEverythingDownload } from '../settings/download-everything.tsx'
import { GuestCardSettings } from '../settings/guest-card.tsx'
import { GuestRules } from '../settings/guest-rules.tsx'
import { OpeningHours } from '../settings/opening-hours.tsx'
import { RestaurantDetails } from '../settings/restaurant-details.tsx'
import { RetentionSettings } from '../settings/retention-settings.tsx'

/** What the restaurant is called, where its days begin, and what guests may do when. */
export const SettingsPage = (): JSX.Element => (
  <AdminFrame section="settings">
    {({ restaurantName }) => <Settings restaurantName={restaurantName} />}
  </AdminFrame>
)

function Settings({ restaurantName }: { restaurantName: string }): JSX.Element {
  const restaurant = useFreshApiQuery(api.restaurant.settings, {})
  const opening = useFreshApiQuery(api.opening.state, {})
  const guestCard = useFreshApiQuery(api.guestCard.state, {})
  const retention = useFreshApiQuery(api.retention.state, {})
  const ending = useFreshApiQuery(api.restaurant.ending, {})
  const download = useEverythingDownload()
  return (
    <InOrder className="grid items-start gap-6 *:min-w-0 xl:grid-cols-2">
      <InOrder className="flex flex-col gap-6">
        <Loaded title={t('Restaurant')} query={restaurant}>
          {(settings) => (
            <>
              <RestaurantDetails settings={settings} />
              <GuestRules settings={settings} />
            </>
          )}
        </Loaded>
        <Loaded title={t('Opening hours')} query={opening}>
          {(hours) => <OpeningHours opening={hours} />}
        </Loaded>
      </InOrder>
      <InOrder className="flex flex-col gap-6">
        <Loaded title={t('Guest card')} query={guestCard}>
          {(saved) => <GuestCardSettings saved={saved} />}
        </Loaded>
        <Loaded title={t('How long things are kept')} query={retention}>
          {(state) => <RetentionSettings state={state} />}
        </Loaded>
        <DownloadEverythingCard download={download} />
        <Loaded title={t('Delete the Restaurant')} query={ending}>
          {(known) => <DeleteRestaurant ending={known} {...{ restaurantName, download }} />}
        </Loaded>
      </InOrder>
      <LanguageSelect />
    </InOrder>
  )
}
