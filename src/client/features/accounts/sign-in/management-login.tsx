import type { JSX } from 'react'
import { useSearch } from 'wouter'
import { SecondFactorLogin } from '#contract/accounts/account-forms.ts'
import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import { useApiQueryOrNull } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { rememberRestaurant } from '../restaurant-session.ts'
import { parseReturnPath } from '../return-to.ts'
import { ContinueAs } from './continue-as.tsx'
import { Credentials } from './credentials.tsx'
import { ForgotPasswordLink } from './forgot-password-link.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { useLoginForm } from './use-login-form.ts'
import { useSecondFactorStep } from './use-second-factor-step.ts'

export function ManagementLogin(): JSX.Element {
  const { codeRequired, ...step } = useSecondFactorStep()
  const next = parseReturnPath(useSearch(), location.origin) ?? '/management-dashboard'
  const { data: session } = useApiQueryOrNull(api.accounts.session, {})
  const form = useLoginForm({
    schema: SecondFactorLogin,
    send: async (body) => await call(api.managers.login, { body }),
    ...step,
    onSuccess: ({ restaurantName }) => rememberRestaurant(restaurantName),
    nextPath: next,
    delayMs: 500,
  })
  const restaurantName = session?.restaurantName
  // An owner opens the portal as well.
  const name = session?.manager?.username ?? (session?.grants.includes('owner') ? restaurantName : null)
  return (
    <SignInPage
      title={t('Management Login')}
      subtitle={t('Scheduling, analytics and reports')}
      back="/portal-selection"
      form={form}
      before={name && restaurantName && !form.busy && <ContinueAs {...{ name, restaurantName, next }} />}
    >
      <Credentials form={form} code={codeRequired} />
      <PasskeySignIn next={next} />
      <ForgotPasswordLink manager />
    </SignInPage>
  )
}
