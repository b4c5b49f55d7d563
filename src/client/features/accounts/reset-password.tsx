import { type JSX, useEffect, useState } from 'react'
import * as v from 'valibot'
import { LinkRecovery } from '#contract/accounts/recovery.ts'
import { api } from '#contract/api.ts'
import { call, errorMessage } from '../../api/http.ts'
import { t } from '../../lib/texts/translate.ts'
import { Notice } from '../../ui/page/notice.tsx'
import { NewPassword } from './new-password.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { validatePasswordMatch, useLoginForm } from './sign-in/use-login-form.ts'

const PasswordInput = v.omit(LinkRecovery, ['token'])

/** The target of a one-time link created by the server's operator. Its token is removed from the address and history. */
export function ResetPassword(): JSX.Element {
  const [token] = useState(() => location.hash.slice(1))
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])
  const form = useLoginForm({
    schema: PasswordInput,
    validate: (typed) => validatePasswordMatch(typed, 'Passwords do not match'),
    send: async ({ password }) => await call(api.recovery.byLink, { body: { token, password } }),
    describeError: (error) => ({
      title: 'Reset Failed',
      description: errorMessage(error, 'Unable to reset the password'),
    }),
    onSuccess: () => {},
    nextPath: '/demo-login',
    delayMs: 1500,
  })
  return (
    <SignInPage
      title={t('Reset Password')}
      subtitle={t('For the owner, and for the restaurant’s devices')}
      back="/demo-login"
      form={form}
      before={
        token === '' && (
          <Notice urgent>
            {t('This link is not complete. Please open it again, or ask for a new one.')}
          </Notice>
        )
      }
    >
      <p>{t('Everybody who is signed in with the old password has to sign in again.')}</p>
      <p>{t('Managers have passwords of their own and stay signed in.')}</p>
      <p>
        {t(
          'A link made on the server also turns off your authenticator app and removes your passkeys. A link from an email leaves both as they are.',
        )}
      </p>
      <NewPassword form={form} />
    </SignInPage>
  )
}
