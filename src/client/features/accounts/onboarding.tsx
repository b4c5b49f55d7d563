import type { JSX } from 'react'
import { Redirect } from 'wouter'
import { RestaurantSetup } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { ApiError, call, errorMessage } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Page } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { browserTimeZone } from './browser-time-zone.ts'
import { useForm } from './use-form.ts'

/** For owners whose restaurant has no name yet. */
export function Onboarding(): JSX.Element {
  const session = useSession()
  const { toast } = useToast()
  const { invalidate } = useApiCache()
  const form = useForm({
    schema: RestaurantSetup,
    send: async ({ restaurantName }) =>
      await call(api.accounts.setupRestaurant, { body: { restaurantName, timeZone: browserTimeZone() } }),
    describeError(problem) {
      // Nobody is signed in any more: the routes say so, and lead to the sign-in.
      if (problem instanceof ApiError && problem.status === 401) void invalidate(api.accounts.currentUser)
      return { title: 'Error', description: errorMessage(problem, 'Failed to set up the restaurant') }
    },
    onSuccess({ restaurantName }) {
      if (restaurantName !== null) rememberRestaurant(restaurantName)
      toast({ title: 'Success', description: "Restaurant name set! Now let's set up your subscription." })
    },
    nextPath: '/subscribe',
    delayMs: 0,
  })
  if (session.state === 'signed-in' && session.user.restaurantName !== null && form.state === 'idle')
    return <Redirect to="/dashboard" replace />
  return (
    <Page ground="light" title="Welcome! Let's get started" width="narrow" stacked>
      <Card>
        <form {...form.handlers} className="flex flex-col gap-4">
          <Field
            label="Restaurant Name"
            name="restaurantName"
            placeholder="The Copper Pot"
            autoComplete="organization"
            required
            error={form.errors['restaurantName']}
          />
          <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel="Setting up...">
            Continue
          </Button>
        </form>
      </Card>
    </Page>
  )
}
