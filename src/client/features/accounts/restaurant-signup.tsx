import type { JSX } from 'react'
import { Link } from 'wouter'
import { RestaurantSignup as Signup } from '#contract/accounts/account-forms.ts'
import { passwordMinLength } from '#contract/accounts/passwords.ts'
import { api } from '#contract/api.ts'
import { call, errorMessage } from '../../api/http.ts'
import { setStored } from '../../lib/browser/browser-storage.ts'
import { t } from '../../lib/texts/translate.ts'
import { browserTimeZone } from '../../lib/time/browser-time-zone.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { NewPasswordFields } from '../../ui/form/new-password-fields.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { rememberRestaurant } from './restaurant-session.ts'
import { RobotCheckbox } from './sign-in/robot-check.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { validatePasswordMatch, validateRobotCheck, useLoginForm } from './sign-in/use-login-form.ts'
import { SuccessStatus } from './success-status.tsx'

export function RestaurantSignup(): JSX.Element {
  const form = useLoginForm({
    schema: Signup,
    validate: (typed) => validateRobotCheck(typed) ?? validatePasswordMatch(typed, 'Passwords do not match'),
    send: async (body) => await call(api.accounts.signUp, { body: { ...body, timeZone: browserTimeZone() } }),
    describeError: (error) => ({
      title: 'Signup Failed',
      description: errorMessage(error, 'Unable to create account'),
    }),
    onSuccess({ restaurantName }) {
      rememberRestaurant(restaurantName)
      setStored('signedUp', 'true')
    },
    nextPath: '/portal-selection',
    delayMs: 1500,
  })
  return (
    <SignInPage
      title={t('Create Account')}
      subtitle={t('One account for the whole restaurant')}
      back="/restaurant-login"
      form={form}
      after={
        <p className="flex flex-wrap items-center justify-between gap-2">
          {t('Already have an account?')}
          <Link href="/restaurant-login" asChild>
            <LinkButton>{t('Sign In')}</LinkButton>
          </Link>
        </p>
      }
    >
      <Field
        label={t('Restaurant Name')}
        {...form.field('restaurantName')}
        hint={t('As your guests know it: it is what your staff signs in with.')}
        autoComplete="username"
        required
      />
      <Field label={t('Email')} {...form.field('email')} type="email" autoComplete="email" required />
      <NewPasswordFields
        form={form}
        label={t('Password')}
        hint={!form.errors['password'] && t('At least {count} characters', { count: passwordMinLength })}
        required
      />
      <RobotCheckbox error={form.errors['robot']} />
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel={t('Creating account…')}>
        {t('Create Account')}
      </Button>
      <SuccessStatus>
        {form.state === 'done' && t('Your account is ready. Opening your portals…')}
      </SuccessStatus>
    </SignInPage>
  )
}
