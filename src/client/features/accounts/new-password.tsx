import type { JSX } from 'react'
import { passwordMinLength } from '#contract/accounts.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { SuccessStatus } from './success-status.tsx'
import type { Form } from './use-form.ts'

/** A new password, typed twice, for one that was forgotten. */
export function NewPassword({ form }: { form: Form }): JSX.Element {
  return (
    <>
      <PasswordField
        label="New Password"
        strength
        name="password"
        hint={!form.errors['password'] && `At least ${passwordMinLength} characters`}
        autoComplete="new-password"
        required
        error={form.errors['password']}
      />
      <PasswordField
        label="Confirm New Password"
        name="confirmPassword"
        autoComplete="new-password"
        required
        error={form.errors['confirmPassword']}
      />
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel="Saving…">
        Set New Password
      </Button>
      <SuccessStatus>
        {form.state === 'done' && 'Your password is changed. Opening the sign-in…'}
      </SuccessStatus>
    </>
  )
}
