import type { JSX, ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { SecondFactorLogin, signInProblemMessages } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useSecondFactorStep } from './second-factor-step.tsx'
import { Credentials } from './credentials.tsx'
import { ForgotPasswordLink } from './forgot-password.tsx'
import { hasIdentityProvider } from './identity-provider.ts'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { providerLoginPath, parseReturnPath } from './return-to.ts'
import { SignInPage } from './sign-in-page.tsx'
import { useForm } from './use-form.ts'

/** Also where an identity provider's sign-in ends that came to nothing, or that an account is to be linked to. */
export function AdminLogin(): JSX.Element {
  const session = useSession()
  const [, navigate] = useLocation()
  const search = useSearch()
  const asked = new URLSearchParams(search)
  const linking = asked.get('link') === '1'
  const returnTo = parseReturnPath(search, location.origin)
  // Who proved the password here goes to the provider once more, and comes back linked.
  const next = linking ? providerLoginPath(returnTo) : (returnTo ?? '/admin-dashboard')
  const { codeRequired: asksCode, ...step } = useSecondFactorStep()
  const form = useForm({
    schema: SecondFactorLogin,
    // Unlike the other logins this one sends the username as it was typed.
    send: async ({ code }, { username = '', password = '' }) =>
      await call(api.accounts.ownerLogin, { body: { username, password, ...(code && { code }) } }),
    ...step,
    onSuccess: ({ restaurantName }) => rememberRestaurant(restaurantName),
    nextPath: next,
    delayMs: 500,
  })
  const signedInTo = session.state === 'signed-in' && !form.busy && !linking && session.user.restaurantName

  function goOn(restaurantName: string): void {
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
            <LinkNotice separate={providerLoginPath(returnTo, true)} />
          ) : (
            <ProblemNotice problem={asked.get('problem')} again={providerLoginPath(returnTo)} />
          )}
          {signedInTo && (
            <Button variant="primary" wide onClick={() => goOn(signedInTo)}>
              <span className="min-w-0 wrap-anywhere">
                Continue as <bdi>{signedInTo}</bdi>
              </span>
            </Button>
          )}
        </>
      }
      after={hasIdentityProvider() && !linking && <ProviderLogin path={providerLoginPath(returnTo)} />}
    >
      <Credentials form={form} code={asksCode} usernameHint="Your email or your restaurant's name" />
      <PasskeySignIn next={next} />
      <ForgotPasswordLink />
    </SignInPage>
  )
}

const isSignInProblem = (given: string): given is keyof typeof signInProblemMessages =>
  Object.hasOwn(signInProblemMessages, given)

function ProblemNotice({ problem, again }: { problem: string | null; again: string }): ReactNode {
  if (problem === null || !isSignInProblem(problem)) return null
  return (
    <Notice urgent action={<ServerLink path={again}>Try again</ServerLink>}>
      {signInProblemMessages[problem]}
    </Notice>
  )
}

function LinkNotice({ separate }: { separate: string }): JSX.Element {
  return (
    <Notice tone="plain" urgent action={<ServerLink path={separate}>Make a separate account</ServerLink>}>
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

/** To a path that the server answers itself. */
function ServerLink({ path, children }: { path: string; children: string }): JSX.Element {
  return (
    <Link href={path} asChild>
      <LinkButton>{children}</LinkButton>
    </Link>
  )
}
