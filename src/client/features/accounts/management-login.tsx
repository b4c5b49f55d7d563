import type { JSX } from 'react'
import { GuardedLogin } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import { useCodeStep } from './code-step.tsx'
import { Credentials } from './credentials.tsx'
import { ForgotPasswordLink } from './forgot-password.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { SignInPage } from './sign-in-page.tsx'
import { useForm } from './use-form.ts'

export function ManagementLogin(): JSX.Element {
  const { asked, ...step } = useCodeStep()
  const form = useForm({
    schema: GuardedLogin,
    send: async (body) => await call(api.managers.login, { body }),
    ...step,
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
      <Credentials form={form} code={asked} />
      <PasskeySignIn next="/management-dashboard" />
      <ForgotPasswordLink manager />
    </SignInPage>
  )
}
