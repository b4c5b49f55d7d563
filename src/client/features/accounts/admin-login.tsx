import type { JSX } from 'react'
import { useLocation, useSearch } from 'wouter'
import { NamedLogin } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Credentials } from './credentials.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { returnPath } from './return-to.ts'
import { SignInPage } from './sign-in-page.tsx'
import { loginFailed, useForm } from './use-form.ts'

export function AdminLogin(): JSX.Element {
  const session = useSession()
  const [, navigate] = useLocation()
  const next = returnPath(useSearch(), location.origin) ?? '/admin-dashboard'
  const form = useForm({
    schema: NamedLogin,
    // Unlike the other logins this one sends the username as it was typed.
    send: async (_, { username = '', password = '' }) =>
      await call(api.accounts.ownerLogin, { body: { username, password } }),
    failed: loginFailed,
    done: ({ restaurantName }) => rememberRestaurant(restaurantName),
    next,
    delayMs: 500,
  })
  const signedInTo = session.state === 'signed-in' && !form.busy && session.user.restaurantName

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
        signedInTo && (
          <Button variant="primary" wide onClick={() => goOn(signedInTo)}>
            Continue as {signedInTo}
          </Button>
        )
      }
    >
      <Credentials form={form} usernameHint="Your email or your restaurant's name" />
    </SignInPage>
  )
}
