import type { JSX, ReactNode } from 'react'
import { Link, useSearch } from 'wouter'
import { OwnerLogin, signInProblemMessages } from '#contract/accounts/account-forms.ts'
import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import { useSession } from '../../../api/session.ts'
import { hasIdentityProvider } from '../../../lib/browser/page-settings.ts'
import { t } from '../../../lib/texts/translate.ts'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { LinkButton } from '../../../ui/link-button.tsx'
import { Notice } from '../../../ui/page/notice.tsx'
import { rememberRestaurant } from '../restaurant-session.ts'
import { providerLoginPath } from '../return-to.ts'
import { useReturnPath } from '../use-return-path.ts'
import { ContinueAs } from './continue-as.tsx'
import { Credentials } from './credentials.tsx'
import { ForgotPasswordLink } from './forgot-password-link.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { useLoginForm } from './use-login-form.ts'
import { useRestaurantChoice } from './use-restaurant-choice.ts'
import { useSecondFactorStep } from './use-second-factor-step.ts'

/** Also shown after a failed sign-in at the identity provider, and to link one to an account. */
export function AdminLogin(): JSX.Element {
  const session = useSession()
  const query = new URLSearchParams(useSearch())
  const linking = query.get('link') === '1'
  const returnTo = useReturnPath()
  // With the password confirmed, another sign-in at the provider links it.
  const next = linking ? providerLoginPath(returnTo) : (returnTo ?? '/admin-dashboard')
  const { codeRequired, ...step } = useSecondFactorStep()
  const { restaurants, describeError } = useRestaurantChoice(step.describeError)
  const form = useLoginForm({
    schema: OwnerLogin,
    // Unlike the other logins, this one sends the username exactly as typed.
    send: async ({ code }, { username = '', password = '', restaurantName }) =>
      await call(api.accounts.ownerLogin, {
        body: { username, password, ...(code && { code }), ...(restaurantName && { restaurantName }) },
      }),
    ...step,
    describeError,
    onSuccess: ({ restaurantName }) => rememberRestaurant(restaurantName),
    nextPath: next,
    delayMs: 500,
  })
  const signedInTo = session.state === 'signed-in' && !form.busy && !linking && session.user.restaurantName

  return (
    <SignInPage
      title={t('Admin Login')}
      subtitle={t('For system administrators and demo account access')}
      back="/portal-selection"
      form={form}
      before={
        <>
          {linking ? (
            <LinkNotice separatePath={providerLoginPath(returnTo, true)} />
          ) : (
            <ProblemNotice code={query.get('problem')} retryPath={providerLoginPath(returnTo)} />
          )}
          {signedInTo && <ContinueAs name={signedInTo} restaurantName={signedInTo} next={next} />}
        </>
      }
      after={hasIdentityProvider() && !linking && <ProviderLogin path={providerLoginPath(returnTo)} />}
    >
      <Credentials form={form} code={codeRequired} usernameHint={t("Your email or your restaurant's name")}>
        {restaurants.length > 0 && (
          <SelectField
            label={t('Restaurant')}
            hint={t('Your password is right for several restaurants.')}
            autoFocus
            {...form.field('restaurantName')}
          >
            <option value="">{t('Select a restaurant')}</option>
            {restaurants.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
        )}
      </Credentials>
      <PasskeySignIn next={next} />
      <ForgotPasswordLink />
    </SignInPage>
  )
}

const isSignInProblem = (code: string): code is keyof typeof signInProblemMessages =>
  Object.hasOwn(signInProblemMessages, code)

function ProblemNotice({ code, retryPath }: { code: string | null; retryPath: string }): ReactNode {
  if (code === null || !isSignInProblem(code)) return null
  return (
    <Notice urgent action={<ServerLink path={retryPath}>{t('Try again')}</ServerLink>}>
      {t(signInProblemMessages[code])}
    </Notice>
  )
}

function LinkNotice({ separatePath }: { separatePath: string }): JSX.Element {
  return (
    <Notice
      tone="plain"
      urgent
      action={<ServerLink path={separatePath}>{t('Make a separate account')}</ServerLink>}
    >
      {t(
        'Your email address has an account here already. Sign in with its password once, and from then on your identity provider opens it.',
      )}
    </Notice>
  )
}

function ProviderLogin({ path }: { path: string }): JSX.Element {
  return (
    <p>
      <ServerLink path={path}>{t('Sign in with your identity provider')}</ServerLink>
    </p>
  )
}

/** A link to the server, not to a page of the app. */
function ServerLink({ path, children }: { path: string; children: string }): JSX.Element {
  return (
    <Link href={path} asChild>
      <LinkButton>{children}</LinkButton>
    </Link>
  )
}
