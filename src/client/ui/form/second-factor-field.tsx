import type { JSX } from 'react'
import { Field, type FieldProps } from './field.tsx'

/** A code of an authenticator app, or a recovery code. */
export function SecondFactorField(props: FieldProps): JSX.Element {
  return (
    <Field
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={40}
      autoFocus
      required
      {...props}
    />
  )
}
