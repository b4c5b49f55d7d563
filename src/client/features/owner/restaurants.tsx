import type { JSX, ReactNode } from 'react'
import { RestaurantSetup } from '#contract/accounts/account-forms.ts'
import type { OwnRestaurant } from '#contract/accounts/own-restaurants.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call, errorMessage } from '../../api/http.ts'
import { useApiCache, useFreshApiQuery } from '../../api/queries.ts'
import { usePolledQuery } from '../../api/use-polled-query.ts'
import { t } from '../../lib/texts/translate.ts'
import { browserTimeZone } from '../../lib/time/browser-time-zone.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { LoadingOrError } from '../../ui/page/load-error.tsx'
import { Page } from '../../ui/page/page.tsx'
import { TimeText } from '../../ui/requests/time-text.tsx'
import { useToast } from '../../ui/toast/toast.tsx'
import { useRestaurantSwitch } from './use-restaurant-switch.ts'
import { useErrorToastOrSignIn, useSignInRedirectOn } from './use-sign-in-redirect.ts'

const glanceEveryMs = 15_000

/** All restaurants of the owner, how each is doing, and the way into another. */
export function Restaurants(): JSX.Element {
  const { data, isError, error, refetch } = useFreshApiQuery(api.ownRestaurants.list, {})
  useSignInRedirectOn(error)
  const [busy, switchTo] = useRestaurantSwitch()
  const several = data !== undefined && data.length > 1
  return (
    <Page theme="light" title={t('Your restaurants')} width="medium">
      {several && (
        <p className="text-text-mute">
          {t(
            'You work in one at a time. When you open another, this browser leaves the first: its alerts no longer sound here.',
          )}
        </p>
      )}
      {data ? (
        <ul className="flex flex-col gap-4" aria-label={t('Your restaurants')}>
          {data.map((restaurant) => (
            <li key={restaurant.id}>
              <RestaurantCard {...{ restaurant, busy, switchTo }} />
            </li>
          ))}
        </ul>
      ) : (
        <LoadingOrError failed={isError} onRetry={refetch} />
      )}
      <AddRestaurant />
    </Page>
  )
}

type RestaurantCardProps = { restaurant: OwnRestaurant; busy: boolean; switchTo: (id: string) => void }

function RestaurantCard({ restaurant, busy, switchTo }: RestaurantCardProps): JSX.Element {
  const { id, restaurantName, isCurrent, isDeleted } = restaurant
  return (
    <Card
      title={restaurantName}
      action={
        (isCurrent || isDeleted) && (
          <span className="flex flex-wrap gap-2">
            {isCurrent && <Badge tone="bright">{t('You are here')}</Badge>}
            {isDeleted && <Badge tone="late">{t('Deleted')}</Badge>}
          </span>
        )
      }
    >
      {!isDeleted && <Glance id={id} />}
      {!isCurrent && (
        <div>
          <Button disabled={busy} onClick={() => switchTo(id)}>
            <span className="min-w-0 wrap-anywhere">
              {t('Open {restaurant}', { restaurant: restaurantName })}
            </span>
          </Button>
        </div>
      )}
    </Card>
  )
}

function Glance({ id }: { id: string }): JSX.Element {
  const { data, isError, refetch } = usePolledQuery(
    api.ownRestaurants.glance,
    { params: { id } },
    glanceEveryMs,
  )
  if (!data || isError) return <LoadingOrError failed={isError} onRetry={refetch} />
  const { waiting, waitingSince, listening, requestsToday } = data
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-3">
      <Fact name={t('Waiting now')} isUrgent={waiting > 0}>
        {waiting}
        {waitingSince !== null && (
          <span className="text-base font-normal">
            {' · '}
            {t('the first')} <TimeText at={waitingSince} />
          </span>
        )}
      </Fact>
      <Fact name={t('Requests today')}>{requestsToday}</Fact>
      <Fact name={t('Crew')} isUrgent={!listening && waiting > 0}>
        {listening ? t('Is listening') : t('Nobody is listening')}
      </Fact>
    </dl>
  )
}

type FactProps = { name: string; isUrgent?: boolean; children: ReactNode }

function Fact({ name, isUrgent = false, children }: FactProps): JSX.Element {
  return (
    <div className="min-w-0 wrap-anywhere">
      <dt className="text-text-mute">{name}</dt>
      <dd className={isUrgent ? 'text-xl font-bold text-late' : 'text-xl font-bold'}>{children}</dd>
    </div>
  )
}

function AddRestaurant(): JSX.Element {
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const report = useErrorToastOrSignIn()
  const form = useForm({
    initial: { restaurantName: '' },
    parse: ({ restaurantName }) => parse(RestaurantSetup, { restaurantName, timeZone: browserTimeZone() }),
    async submit(body, { reset }) {
      const { restaurantName } = await call(api.ownRestaurants.add, { body })
      toast({ title: t('Restaurant added'), description: restaurantName })
      reset()
      await invalidate(api.ownRestaurants.list, api.accounts.currentUser)
    },
    onError(error) {
      const signedOut = report(error, errorMessage(error, 'The restaurant could not be added'))
      // It may have been added, and only the answer lost.
      if (!signedOut) void invalidate(api.ownRestaurants.list, api.accounts.currentUser)
    },
  })
  return (
    <Card
      title={t('Add a restaurant')}
      description={t(
        'With tables, a crew, codes and a subscription of its own. Your email address and your password open it too.',
      )}
    >
      <form {...form.props} className="flex flex-col items-start gap-4">
        <div className="w-full">
          <Field label={t('Restaurant Name')} autoComplete="off" {...form.field('restaurantName')} />
        </div>
        <Button type="submit" pending={form.busy} pendingLabel={t('Adding…')}>
          {t('Add Restaurant')}
        </Button>
      </form>
    </Card>
  )
}
