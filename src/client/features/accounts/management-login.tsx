import type { JSX } from 'react'
import { SecondFactorLogin } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import { useSecondFactorStep } from './use-second-factor-step.ts'
import { Credentials } from './credentials.tsx'
import { ForgotPasswordLink } from './forgot-password.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { SignInPage } from './sign-in-page.tsx'
import { useLoginForm } from './use-login-form.ts'

export function ManagementLogin(): JSX.Element {
  const { codeRequired, ...step } = useSecondFactorStep()
  const form = useLoginForm({
    schema: SecondFactorLogin,
    send: async (body) => await call(api.managers.login, { body }),
    ...step,
    onSuccess: ({ restaurantName }) => rememberRestaurant(restaurantName),
    nextPath: '/management-dashboard',
    delayMs: 500,
  })
  return (
    <SignInPage
      title="Management Login"
      subtitle="Scheduling, analytics and reports"
      back="/portal-selection"
      form={form}
    >
      <Credentials form={form} code={codeRequired} />
      <PasskeySignIn next="/management-dashboard" />
      <ForgotPasswordLink manager />
    </SignInPage>
  )
}
