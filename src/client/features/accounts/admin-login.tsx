import type { JSX, ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { SecondFactorLogin, signInProblemMessages } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useSecondFactorStep } from './use-second-factor-step.ts'
import { Credentials } from './credentials.tsx'
import { ForgotPasswordLink } from './forgot-password.tsx'
import { hasIdentityProvider } from '../../lib/page-settings.ts'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { providerLoginPath, parseReturnPath } from './return-to.ts'
import { SignInPage } from './sign-in-page.tsx'
import { useLoginForm } from './use-login-form.ts'

/** Also shown after a failed sign-in at the identity provider, and to link one to an account. */
export function AdminLogin(): JSX.Element {
  const session = useSession()
  const [, navigate] = useLocation()
  const search = useSearch()
  const query = new URLSearchParams(search)
  const linking = query.get('link') === '1'
  const returnTo = parseReturnPath(search, location.origin)
  // With the password confirmed, another sign-in at the provider links it.
  const next = linking ? providerLoginPath(returnTo) : (returnTo ?? '/admin-dashboard')
  const { codeRequired, ...step } = useSecondFactorStep()
  const form = useLoginForm({
    schema: SecondFactorLogin,
    // Unlike the other logins, this one sends the username exactly as typed.
    send: async ({ code }, { username = '', password = '' }) =>
      await call(api.accounts.ownerLogin, { body: { username, password, ...(code && { code }) } }),
    ...step,
    onSuccess: ({ restaurantName }) => rememberRestaurant(restaurantName),
    nextPath: next,
    delayMs: 500,
  })
  const signedInTo = session.state === 'signed-in' && !form.busy && !linking && session.user.restaurantName

  function continueTo(restaurantName: string): void {
    rememberRestaurant(restaurantName)
    navigate(next)
  }

  return (
    <SignInPage
      title="Admin Login"
      subtitle="For system administrators and demo account access"
      back="/portal-selection"
      form={form}
      before={
        <>
          {linking ? (
            <LinkNotice separatePath={providerLoginPath(returnTo, true)} />
          ) : (
            <ProblemNotice code={query.get('problem')} retryPath={providerLoginPath(returnTo)} />
          )}
          {signedInTo && (
            <Button variant="primary" wide onClick={() => continueTo(signedInTo)}>
              <span className="min-w-0 wrap-anywhere">
                Continue as <bdi>{signedInTo}</bdi>
              </span>
            </Button>
          )}
        </>
      }
      after={hasIdentityProvider() && !linking && <ProviderLogin path={providerLoginPath(returnTo)} />}
    >
      <Credentials form={form} code={codeRequired} usernameHint="Your email or your restaurant's name" />
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
    <Notice urgent action={<ServerLink path={retryPath}>Try again</ServerLink>}>
      {signInProblemMessages[code]}
    </Notice>
  )
}

function LinkNotice({ separatePath }: { separatePath: string }): JSX.Element {
  return (
    <Notice tone="plain" urgent action={<ServerLink path={separatePath}>Make a separate account</ServerLink>}>
      Your email address has an account here already. Sign in with its password once, and from then on your
      identity provider opens it.
    </Notice>
  )
}

function ProviderLogin({ path }: { path: string }): JSX.Element {
  return (
    <p>
      <ServerLink path={path}>Sign in with your identity provider</ServerLink>
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
