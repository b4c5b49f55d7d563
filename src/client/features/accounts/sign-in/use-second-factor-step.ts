import { useState } from 'react'
import { ApiError } from '../../../api/http.ts'
import { type LoginFormOptions, describeLoginError } from './use-login-form.ts'

type SecondFactorStep = Pick<LoginFormOptions<never, never>, 'describeError' | 'validate'> & {
  /** The password was right, and the account also needs a code. */
  codeRequired: boolean
}

/** Asks for a code after the password, for accounts protected by an authenticator app. */
export function useSecondFactorStep(): SecondFactorStep {
  const [codeRequired, setCodeRequired] = useState(false)
  return {
    codeRequired,
    validate: ({ code = '' }) =>
      codeRequired && code.trim() === ''
        ? { field: 'code', title: 'Required', message: 'Please enter the code' }
        : null,
    describeError(error) {
      if (!(error instanceof ApiError) || error.code !== 'second_factor_required')
        return describeLoginError(error)
      setCodeRequired(true)
      return null
    },
  }
}
