import { type JSX, useId } from 'react'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { EscalationSettings } from './escalation-settings.tsx'
import { GuestRules } from './guest-rules.tsx'
import { RestaurantDetails } from './restaurant-details.tsx'
import { LoadingCard } from '../loading-card.tsx'

/** What the restaurant is called, where its days begin, and whom a request alerts when. */
export function Settings(): JSX.Element {
  const title = useId()
  const restaurant = useFreshApiQuery(api.restaurant.settings, {})
  const alerts = useFreshApiQuery(api.alerts.settings, {})
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
          <LoadingCard
            title="Restaurant"
            level={3}
            failed={restaurant.isError}
            onRetry={restaurant.refetch}
          />
        )}
        {alerts.data ? (
          <EscalationSettings settings={alerts.data} />
        ) : (
          <LoadingCard title="Alerts" level={3} failed={alerts.isError} onRetry={alerts.refetch} />
        )}
      </div>
    </section>
  )
}
