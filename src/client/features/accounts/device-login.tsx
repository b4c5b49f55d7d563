import { type JSX, useEffect, useState } from 'react'
import * as v from 'valibot'
import { DeviceLinkLogin, DeviceLogin as DigitsLogin } from '#contract/devices.ts'
import { api } from '#contract/api.ts'
import { call, saidBy } from '../../api/http.ts'
import { useRead } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { Back, SignInPage } from './sign-in-page.tsx'
import { type Form, loginFailed, useForm } from './use-form.ts'

const title = 'Sign in this device'

const Named = v.omit(DeviceLinkLogin, ['token'])

/** For a tablet or phone of the staff, with a code that an owner or manager has on their screen. */
export function DeviceLogin(): JSX.Element {
  const [token, setToken] = useState(() => location.hash.slice(1))
  // Whoever looks over a shoulder or at the history later finds no code.
  useEffect(() => history.replaceState(history.state, '', location.pathname + location.search), [])
  return token === '' ? <ByDigits /> : <ByLink token={token} onTypeInstead={() => setToken('')} />
}

const afterLogin = {
  failed: loginFailed,
  done: ({ restaurantName }: { restaurantName: string }) => rememberRestaurant(restaurantName),
  next: '/waiter',
  delayMs: 500,
}

function ByDigits(): JSX.Element {
  const form = useForm({
    schema: DigitsLogin,
    send: async (body) => await call(api.devices.login, { body }),
    ...afterLogin,
  })
  return (
    <SignInPage
      title={title}
      subtitle="With the six digits that an owner or manager has made under Security"
      back="/restaurant-login"
      form={form}
    >
      <Field
        label="Restaurant Name"
        name="restaurantName"
        autoComplete="organization"
        required
        error={form.problems['restaurantName']}
      />
      <Field
        label="Six digits"
        name="digits"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={9}
        required
        error={form.problems['digits']}
      />
      <NameAndButton form={form} />
    </SignInPage>
  )
}

type ByLinkProps = { token: string; onTypeInstead: () => void }

function ByLink({ token, onTypeInstead }: ByLinkProps): JSX.Element {
  const { data, error, isPending } = useRead(api.devices.link, { body: { token } })
  if (data) return <Confirm token={token} restaurantName={data.restaurantName} />
  return (
    <Page ground="light" title={title} width="narrow" stacked back={<Back href="/restaurant-login" />}>
      {isPending ? (
        <Spinner />
      ) : (
        <Notice tone="plain" urgent action={<Button onClick={onTypeInstead}>Type the digits</Button>}>
          {saidBy(error, 'This code could not be read. Please scan it again.')}
        </Notice>
      )}
    </Page>
  )
}

/** Names the restaurant first: a code may come from anybody. */
function Confirm({ token, restaurantName }: { token: string; restaurantName: string }): JSX.Element {
  const form = useForm({
    schema: Named,
    send: async ({ deviceName }) => await call(api.devices.linkLogin, { body: { token, deviceName } }),
    ...afterLogin,
  })
  return (
    <SignInPage title={title} subtitle={restaurantName} back="/restaurant-login" form={form}>
      <p>
        It will show the requests of <strong className="wrap-anywhere">{restaurantName}</strong>, and the crew
        can answer them. It can change nothing else.
      </p>
      <NameAndButton form={form} />
    </SignInPage>
  )
}

function NameAndButton({ form }: { form: Form }): JSX.Element {
  return (
    <>
      <Field
        label="Name of this device (optional)"
        name="deviceName"
        hint="Such as “Kitchen tablet”. It can be changed later."
        autoComplete="off"
        maxLength={40}
        error={form.problems['deviceName']}
      />
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel="Signing in…">
        Sign in this device
      </Button>
    </>
  )
}
