import type { JSX, ReactNode } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { PasswordField } from './password-field.tsx'
import type { FieldProps } from './use-form.ts'

type NewPasswordFieldsProps = {
  form: { field: (name: 'password' | 'confirmPassword') => FieldProps }
  label: string
  hint: ReactNode
  required?: boolean
}

/** A new password, typed twice. */
export function NewPasswordFields({ form, label, hint, required }: NewPasswordFieldsProps): JSX.Element {
  return (
    <>
      <PasswordField
        label={label}
        strength
        hint={hint}
        autoComplete="new-password"
        required={required}
        {...form.field('password')}
      />
      <PasswordField
        label={t('Confirm {label}', { label })}
        autoComplete="new-password"
        required={required}
        {...form.field('confirmPassword')}
      />
    </>
  )
}
