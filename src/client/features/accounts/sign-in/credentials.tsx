import type { JSX, ReactNode } from 'react'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { SecondFactorField } from '../../../ui/form/second-factor-field.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { UsernameField } from '../../../ui/form/username-field.tsx'

type CredentialsProps = {
  form: Form
  usernameHint?: string
  /** Whether the form also asks for a second factor. */
  code?: boolean
  /** More fields, above the button. */
  children?: ReactNode
}

/** Username, password and Sign In, shared by the crew, manager and admin logins. */
export function Credentials({ form, usernameHint, code = false, children }: CredentialsProps): JSX.Element {
  return (
    <>
      <UsernameField {...form.field('username')} hint={usernameHint} autoComplete="username" required />
      <PasswordField
        label={t('Password')}
        {...form.field('password')}
        autoComplete="current-password"
        required
      />
      {code && (
        <SecondFactorField
          label={t('6-digit code or recovery code')}
          hint={t('Your password is right. The code is in your authenticator app.')}
          {...form.field('code')}
        />
      )}
      {children}
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel={t('Signing in…')}>
        {t('Sign In')}
      </Button>
    </>
  )
}
