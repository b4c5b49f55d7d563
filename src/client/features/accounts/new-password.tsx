import type { JSX } from 'react'
import { passwordMinLength } from '#contract/passwords.ts'
import { Button } from '../../ui/button.tsx'
import { NewPasswordFields } from '../../ui/form/new-password-fields.tsx'
import { SuccessStatus } from './success-status.tsx'
import type { Form } from '../../ui/form/use-form.ts'

/** The last fields of a form that replaces a forgotten password. */
export function NewPassword({ form }: { form: Form }): JSX.Element {
  return (
    <>
      <NewPasswordFields
        form={form}
        label="New Password"
        hint={!form.errors['password'] && `At least ${passwordMinLength} characters`}
        required
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
