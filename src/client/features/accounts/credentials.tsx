import type { JSX } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { CodeField } from './second-factor-step.tsx'
import type { Form } from './use-form.ts'

type CredentialsProps = {
  form: Form
  usernameHint?: string
  /** Whether a code is to be entered, too. */
  code?: boolean
}

/** Username, password and Sign In, as crew, managers and admins have it. */
export function Credentials({ form, usernameHint, code = false }: CredentialsProps): JSX.Element {
  return (
    <>
      <Field
        label="Username"
        name="username"
        hint={usernameHint}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        error={form.errors['username']}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        error={form.errors['password']}
      />
      {code && <CodeField error={form.errors['code']} />}
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel="Signing in…">
        Sign In
      </Button>
    </>
  )
}
