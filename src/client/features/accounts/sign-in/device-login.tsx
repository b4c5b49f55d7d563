import { type JSX, useEffect, useState } from 'react'
import * as v from 'valibot'
import { DeviceLinkLogin, DeviceLogin as DigitsLogin } from '#contract/accounts/devices.ts'
import { api } from '#contract/api.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { useApiQuery } from '../../../api/queries.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { BackLink } from '../../../ui/page/back-link.tsx'
import { Notice } from '../../../ui/page/notice.tsx'
import { Page } from '../../../ui/page/page.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { rememberRestaurant } from '../restaurant-session.ts'
import { withReturnPath } from '../return-to.ts'
import { useReturnPath } from '../use-return-path.ts'
import { SignInPage } from './sign-in-page.tsx'
import { describeLoginError, useLoginForm } from './use-login-form.ts'

const title = 'Sign in this device'

const DeviceNameInput = v.omit(DeviceLinkLogin, ['token'])

/** Signs in a staff tablet or phone with a code from an owner's or manager's screen. */
export function DeviceLogin(): JSX.Element {
  const [token, setToken] = useState(() => location.hash.slice(1))
  // Keeps the code out of the address bar and the history.
  useEffect(() => history.replaceState(history.state, '', location.pathname + location.search), [])
  return token === '' ? <DigitsForm /> : <LinkSignIn token={token} onTypeInstead={() => setToken('')} />
}

const loginOptions = {
  describeError: describeLoginError,
  onSuccess: ({ restaurantName }: { restaurantName: string }) => rememberRestaurant(restaurantName),
  nextPath: '/waiter',
  delayMs: 500,
}

function DigitsForm(): JSX.Element {
  const returnTo = useReturnPath()
  const form = useLoginForm({
    schema: DigitsLogin,
    send: async (body) => await call(api.devices.login, { body }),
    ...loginOptions,
    nextPath: returnTo ?? loginOptions.nextPath,
  })
  return (
    <SignInPage
      title={t(title)}
      subtitle={t('With the six digits that an owner or manager has made under Security')}
      back={withReturnPath('/restaurant-login', returnTo)}
      form={form}
    >
      <Field
        label={t('Restaurant Name')}
        {...form.field('restaurantName')}
        autoComplete="organization"
        required
      />
      <Field
        label={t('Six digits')}
        {...form.field('digits')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={9}
        required
      />
      <DeviceNameFields form={form} />
    </SignInPage>
  )
}

type LinkSignInProps = { token: string; onTypeInstead: () => void }

function LinkSignIn({ token, onTypeInstead }: LinkSignInProps): JSX.Element {
  const { data, error, isPending } = useApiQuery(api.devices.link, { body: { token } })
  if (data) return <ConfirmForm token={token} restaurantName={data.restaurantName} />
  return (
    <Page theme="light" title={t(title)} width="narrow" stacked back={<BackLink href="/restaurant-login" />}>
      {isPending ? (
        <Spinner />
      ) : (
        <Notice tone="plain" urgent action={<Button onClick={onTypeInstead}>{t('Type the digits')}</Button>}>
          {t(errorMessage(error, 'This code could not be read. Please scan it again.'))}
        </Notice>
      )}
    </Page>
  )
}

/** Shows the restaurant before signing in: anybody could have made the code. */
function ConfirmForm({ token, restaurantName }: { token: string; restaurantName: string }): JSX.Element {
  const form = useLoginForm({
    schema: DeviceNameInput,
    send: async ({ deviceName }) => await call(api.devices.linkLogin, { body: { token, deviceName } }),
    ...loginOptions,
  })
  return (
    <SignInPage title={t(title)} subtitle={restaurantName} back="/restaurant-login" form={form}>
      <p>
        {tRich(
          'It will show the requests of {restaurant}, and the crew can answer them. It can change nothing else.',
          { restaurant: <strong className="wrap-anywhere">{restaurantName}</strong> },
        )}
      </p>
      <DeviceNameFields form={form} />
    </SignInPage>
  )
}

function DeviceNameFields({ form }: { form: Form }): JSX.Element {
  return (
    <>
      <Field
        label={t('Name of this device (optional)')}
        {...form.field('deviceName')}
        hint={t('Such as “Kitchen tablet”. It can be changed later.')}
        autoComplete="off"
        maxLength={40}
      />
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel={t('Signing in…')}>
        {t('Sign in this device')}
      </Button>
    </>
  )
}
