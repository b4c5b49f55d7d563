import type { JSX } from 'react'
import { Redirect } from 'wouter'
import { RestaurantSetup } from '#contract/accounts/account-forms.ts'
import { api } from '#contract/api.ts'
import { call, errorMessage } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../lib/texts/translate.ts'
import { browserTimeZone } from '../../lib/time/browser-time-zone.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Page } from '../../ui/page/page.tsx'
import { useToast } from '../../ui/toast/toast.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { useLoginForm } from './sign-in/use-login-form.ts'

/** For owners whose restaurant has no name yet. */
export function Onboarding(): JSX.Element {
  const session = useSession()
  const { toast } = useToast()
  const { invalidate } = useApiCache()
  const form = useLoginForm({
    schema: RestaurantSetup,
    send: async ({ restaurantName }) =>
      await call(api.accounts.setupRestaurant, { body: { restaurantName, timeZone: browserTimeZone() } }),
    describeError(error) {
      // Once the session has ended, the routes report it and redirect to the sign-in. Another browser of the owner may
      // have named the restaurant meanwhile.
      void invalidate(api.accounts.currentUser)
      return { title: 'Error', description: errorMessage(error, 'Failed to set up the restaurant') }
    },
    onSuccess({ restaurantName }) {
      if (restaurantName !== null) rememberRestaurant(restaurantName)
      toast({
        title: t('Success'),
        description: t("Restaurant name set! Now let's set up your subscription."),
      })
    },
    nextPath: '/subscribe',
    delayMs: 0,
  })
  if (session.state === 'signed-in' && session.user.restaurantName !== null && form.state === 'idle')
    return <Redirect to="/dashboard" replace />
  return (
    <Page theme="light" title={t("Welcome! Let's get started")} width="narrow" stacked>
      <Card>
        <form {...form.props} className="flex flex-col gap-4">
          <Field
            label={t('Restaurant Name')}
            {...form.field('restaurantName')}
            placeholder={t('The Copper Pot')}
            autoComplete="organization"
            required
          />
          <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel={t('Setting up...')}>
            {t('Continue')}
          </Button>
        </form>
      </Card>
    </Page>
  )
}
