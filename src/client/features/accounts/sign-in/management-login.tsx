import type { JSX } from 'react'
import { Link } from 'wouter'
import { SecondFactorLogin } from '#contract/accounts/account-forms.ts'
import { api } from '#contract/api.ts'
import { ApiError, call } from '../../../api/http.ts'
import { useApiQueryOrNull } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { LinkButton } from '../../../ui/link-button.tsx'
import { Notice } from '../../../ui/page/notice.tsx'
import { rememberRestaurant } from '../restaurant-session.ts'
import { withReturnPath } from '../return-to.ts'
import { useReturnPath } from '../use-return-path.ts'
import { ContinueAs } from './continue-as.tsx'
import { Credentials } from './credentials.tsx'
import { ForgotPasswordLink } from './forgot-password-link.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { useLoginForm } from './use-login-form.ts'
import { useSecondFactorStep } from './use-second-factor-step.ts'

export function ManagementLogin(): JSX.Element {
  const { codeRequired, ...step } = useSecondFactorStep()
  const returnTo = useReturnPath()
  const next = returnTo ?? '/management-dashboard'
  const { data: session, refetch } = useApiQueryOrNull(api.accounts.session, {})
  const form = useLoginForm({
    schema: SecondFactorLogin,
    send: async (body) => await call(api.managers.login, { body }),
    ...step,
    describeError(error) {
      // The browser may have been signed out of the restaurant since.
      if (error instanceof ApiError && error.code === 'invalid') void refetch()
      return step.describeError(error)
    },
    onSuccess: ({ restaurantName }) => rememberRestaurant(restaurantName),
    nextPath: next,
    delayMs: 500,
  })
  const restaurantName = session?.restaurantName
  const isElsewhere = session === null || restaurantName === null
  // An owner opens the portal as well.
  const name = session?.manager?.username ?? (session?.grants.includes('owner') ? restaurantName : null)
  return (
    <SignInPage
      title={t('Management Login')}
      subtitle={t('Scheduling, analytics and reports')}
      back="/portal-selection"
      form={form}
      before={
        isElsewhere ? (
          <RestaurantFirst loginPath={withReturnPath('/management-login', returnTo)} />
        ) : (
          name && restaurantName && !form.busy && <ContinueAs {...{ name, restaurantName, next }} />
        )
      }
    >
      <Credentials form={form} code={codeRequired} />
      <PasskeySignIn next={next} />
      <ForgotPasswordLink manager />
    </SignInPage>
  )
}

/** Each restaurant has usernames of its own. A passkey says itself whose it is. */
function RestaurantFirst({ loginPath }: { loginPath: string }): JSX.Element {
  return (
    <Notice
      tone="plain"
      urgent
      action={
        <Link href={withReturnPath('/restaurant-login', loginPath)} asChild>
          <LinkButton>{t('Restaurant Login')}</LinkButton>
        </Link>
      }
    >
      {t('Please sign in to your restaurant first: this browser does not know which one is yours.')}
    </Notice>
  )
}
