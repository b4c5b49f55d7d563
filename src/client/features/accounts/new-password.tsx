import type { JSX } from 'react'
import { passwordMinLength } from '#contract/accounts/passwords.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { NewPasswordFields } from '../../ui/form/new-password-fields.tsx'
import type { Form } from '../../ui/form/use-form.ts'
import { SuccessStatus } from './success-status.tsx'

/** The last fields of a form that replaces a forgotten password. */
export function NewPassword({ form }: { form: Form }): JSX.Element {
  return (
    <>
      <NewPasswordFields
        form={form}
        label={t('New Password')}
        hint={!form.errors['password'] && t('At least {count} characters', { count: passwordMinLength })}
        required
      />
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel={t('Saving…')}>
        {t('Set New Password')}
      </Button>
      <SuccessStatus>
        {form.state === 'done' && t('Your password is changed. Opening the sign-in…')}
      </SuccessStatus>
    </>
  )
}
