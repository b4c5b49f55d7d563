import { type JSX, useId } from 'react'
import { api } from '#contract/api.ts'
import { useFreshRead } from '../../api/queries.ts'
import { AlertLadder } from './alert-ladder.tsx'
import { GuestRules } from './guest-rules.tsx'
import { RestaurantDetails } from './restaurant-details.tsx'
import { Unread } from './unread.tsx'

/** What the restaurant is called, where its days begin, and whom a request alerts when. */
export function Settings(): JSX.Element {
  const title = useId()
  const restaurant = useFreshRead(api.restaurant.settings, {})
  const alerts = useFreshRead(api.alerts.settings, {})
  return (
    <section aria-labelledby={title} className="flex min-w-0 flex-col gap-4">
      <h2 id={title} className="text-xl">
        Settings
      </h2>
      <div className="grid items-start gap-6 *:min-w-0 lg:grid-cols-2">
        {restaurant.data ? (
          <div className="flex flex-col gap-6">
            <RestaurantDetails settings={restaurant.data} />
            <GuestRules settings={restaurant.data} />
          </div>
        ) : (
          <Unread title="Restaurant" level={3} failed={restaurant.isError} again={restaurant.refetch} />
        )}
        {alerts.data ? (
          <AlertLadder settings={alerts.data} />
        ) : (
          <Unread title="Alerts" level={3} failed={alerts.isError} again={alerts.refetch} />
        )}
      </div>
    </section>
  )
}
