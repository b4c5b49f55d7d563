import type { JSX } from 'react'
import { NamedLogin } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import { Credentials } from './credentials.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { SignInPage } from './sign-in-page.tsx'
import { loginFailed, useForm } from './use-form.ts'

export function ManagementLogin(): JSX.Element {
  const form = useForm({
    schema: NamedLogin,
    send: async (body) => await call(api.managers.login, { body }),
    failed: loginFailed,
    done: ({ restaurantName }) => rememberRestaurant(restaurantName),
    next: '/management-dashboard',
    delayMs: 500,
  })
  return (
    <SignInPage
      title="Management Login"
      subtitle="Scheduling, analytics and reports"
      back="/portal-selection"
      form={form}
    >
      <Credentials form={form} />
    </SignInPage>
  )
}
