import type { JSX } from 'react'
import { Link } from 'wouter'
import { RestaurantLogin as Login } from '#contract/accounts/account-forms.ts'
import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { LinkButton } from '../../../ui/link-button.tsx'
import { rememberRestaurant } from '../restaurant-session.ts'
import { withReturnPath } from '../return-to.ts'
import { useReturnPath } from '../use-return-path.ts'
import { ForgotPasswordLink } from './forgot-password-link.tsx'
import { RobotCheckbox } from './robot-check.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { describeLoginError, validateRobotCheck, useLoginForm } from './use-login-form.ts'

export function RestaurantLogin(): JSX.Element {
  const returnTo = useReturnPath()
  const form = useLoginForm({
    schema: Login,
    validate: validateRobotCheck,
    send: async (body) => await call(api.accounts.restaurantLogin, { body }),
    describeError: describeLoginError,
    onSuccess: ({ restaurantName }) => rememberRestaurant(restaurantName),
    nextPath: returnTo ?? '/portal-selection',
    delayMs: 500,
  })
  return (
    <SignInPage
      title={t('Restaurant Login')}
      subtitle={t('For your crew, management and admin portals')}
      back="/"
      form={form}
      after={
        <>
          <p className="flex flex-wrap items-center justify-between gap-2">
            {t('New to Tableside?')}
            <Link href="/restaurant-signup" asChild>
              <LinkButton>{t('Sign Up')}</LinkButton>
            </Link>
          </p>
          <p className="flex flex-wrap items-center justify-between gap-2">
            {t('A tablet or phone of the staff?')}
            <Link href={withReturnPath('/device', returnTo)} asChild>
              <LinkButton>{t('Sign in with a code')}</LinkButton>
            </Link>
          </p>
        </>
      }
    >
      <Field
        label={t('Restaurant Name')}
        {...form.field('restaurantName')}
        autoComplete="username"
        required
      />
      <PasswordField
        label={t('Password')}
        {...form.field('password')}
        autoComplete="current-password"
        required
      />
      <RobotCheckbox error={form.errors['robot']} />
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel={t('Signing in…')}>
        {t('Sign In')}
      </Button>
      <ForgotPasswordLink />
    </SignInPage>
  )
}
