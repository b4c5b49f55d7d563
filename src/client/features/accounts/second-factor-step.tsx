import { type JSX, useState } from 'react'
import { ApiError } from '../../api/http.ts'
import { Field } from '../../ui/form/field.tsx'
import { type FormOptions, describeLoginError } from './use-form.ts'

type SecondFactorStep = Pick<FormOptions<never, never>, 'describeError' | 'validate'> & {
  /** The password was right, and the account wants a code too. */
  codeRequired: boolean
}

/** The second step of a login that an authenticator app guards. */
export function useSecondFactorStep(): SecondFactorStep {
  const [asked, setAsked] = useState(false)
  return {
    codeRequired: asked,
    validate: ({ code = '' }) =>
      asked && code.trim() === ''
        ? { field: 'code', title: 'Required', message: 'Please enter the code' }
        : null,
    describeError(problem) {
      if (!(problem instanceof ApiError) || problem.code !== 'second_factor_required')
        return describeLoginError(problem)
      setAsked(true)
      return null
    },
  }
}

export function CodeField({ error }: { error: string | undefined }): JSX.Element {
  return (
    <Field
      label="6-digit code or recovery code"
      name="code"
      hint="Your password is right. The code is in your authenticator app."
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={40}
      autoFocus
      required
      error={error}
    />
  )
}
