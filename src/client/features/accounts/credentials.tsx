import type { JSX } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { CodeField } from './second-factor-step.tsx'
import type { Form } from '../../ui/form/use-form.ts'

type CredentialsProps = {
  form: Form
  usernameHint?: string
  /** Whether the form also asks for a second factor. */
  code?: boolean
}

export function UsernameField({ form, hint }: { form: Form; hint?: string | undefined }): JSX.Element {
  return (
    <Field
      label="Username"
      hint={hint}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      required
      {...form.field('username')}
    />
  )
}

/** Username, password and Sign In, shared by the crew, manager and admin logins. */
export function Credentials({ form, usernameHint, code = false }: CredentialsProps): JSX.Element {
  return (
    <>
      <UsernameField form={form} hint={usernameHint} />
      <PasswordField label="Password" {...form.field('password')} autoComplete="current-password" required />
      {code && <CodeField {...form.field('code')} />}
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel="Signing in…">
        Sign In
      </Button>
    </>
  )
}
