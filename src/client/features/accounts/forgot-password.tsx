import type { JSX } from 'react'
import * as v from 'valibot'
import { useSearch } from 'wouter'
import { CodeRecovery, LinkRequest } from '#contract/accounts/recovery.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call, errorMessage } from '../../api/http.ts'
import { hasIdentityProvider, sendsMail } from '../../lib/browser/page-settings.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { UsernameField } from '../../ui/form/username-field.tsx'
import { useErrorToast } from '../../ui/toast/toast.tsx'
import { NewPassword } from './new-password.tsx'
import { TextLink } from './sign-in/forgot-password-link.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { validatePasswordMatch, useLoginForm } from './sign-in/use-login-form.ts'
import { SuccessStatus } from './success-status.tsx'

const ManagerRecovery = v.required(CodeRecovery, ['username'])

export function ForgotPassword(): JSX.Element {
  const search = new URLSearchParams(useSearch())
  const isManager = search.get('for') === 'manager'
  if (sendsMail() && !isManager && search.get('by') !== 'code') return <LinkForm />
  return <CodeForm key={String(isManager)} isManager={isManager} />
}

function CodeForm({ isManager }: { isManager: boolean }): JSX.Element {
  const signIn = isManager ? '/management-login' : '/demo-login'
  const form = useLoginForm({
    schema: isManager ? ManagerRecovery : CodeRecovery,
    validate: (typed) => validatePasswordMatch(typed, 'Passwords do not match'),
    send: async (body) => await call(api.recovery.byCode, { body }),
    describeError: (error) => ({
      title: 'Reset Failed',
      description: errorMessage(error, 'Unable to reset the password'),
    }),
    onSuccess: () => {},
    nextPath: signIn,
    delayMs: 1500,
  })
  return (
    <SignInPage
      title={t('Forgot Password')}
      subtitle={t('Set a new one with one of your recovery codes')}
      back={signIn}
      form={form}
      after={<OtherWays isManager={isManager} title={t('No recovery code at hand?')} />}
    >
      <Field
        label={t(isManager ? 'Restaurant Name' : 'Restaurant Name or Email')}
        {...form.field('restaurantName')}
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      {isManager && <UsernameField {...form.field('username')} autoComplete="username" required />}
      <Field
        label={t('Recovery Code')}
        {...form.field('code')}
        hint={t('Such as {code}. Each works once.', { code: '7K2M-9QXA-4T0C-W3RE' })}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        required
      />
      {!isManager && (
        <p>
          {t('Everybody who is signed in with the old password has to sign in again.')}{' '}
          {t('Managers have passwords of their own and stay signed in.')}
        </p>
      )}
      <NewPassword form={form} />
    </SignInPage>
  )
}

/** The owner gets a link by email. Whether there is such an account, nobody learns here. */
function LinkForm(): JSX.Element {
  const showError = useErrorToast()
  const initial: Record<string, string> = { restaurantName: '' }
  const form = useForm({
    initial,
    parse: (values) => parse(LinkRequest, values),
    submit: async (body) => await call(api.recovery.sendLink, { body }),
    onError: (error) => showError(errorMessage(error, 'Unable to send the email'), 'Reset Failed'),
    once: true,
  })
  const isSent = form.state === 'done'
  return (
    <SignInPage
      title={t('Forgot Password')}
      subtitle={t('Set a new one with a link that you get by email')}
      back="/demo-login"
      form={form}
      after={<OtherWays isManager={false} title={t('Other ways')} />}
    >
      <Field
        label={t('Restaurant Name or Email')}
        {...form.field('restaurantName')}
        autoCapitalize="none"
        spellCheck={false}
        disabled={isSent}
        required
      />
      {!isSent && (
        <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel={t('Sending…')}>
          {t('Email Me a Link')}
        </Button>
      )}
      <SuccessStatus>
        {isSent &&
          t(
            'If there is such an account, a link is on its way to its email address. It works for 30 minutes.',
          )}
      </SuccessStatus>
    </SignInPage>
  )
}

function OtherWays({ isManager, title }: { isManager: boolean; title: string }): JSX.Element {
  return (
    <Card title={title}>
      <ul className="flex list-disc flex-col gap-2 ps-5">{isManager ? <ManagerWays /> : <OwnerWays />}</ul>
    </Card>
  )
}

function ManagerWays(): JSX.Element {
  return (
    <>
      <li>
        {t('Ask the owner of your restaurant: the Admin Portal sets a new password for you, under Users.')}
      </li>
      <li>
        {t('Are you the owner?')}{' '}
        <TextLink href="/forgot-password">{t('Reset the owner’s password.')}</TextLink>
      </li>
    </>
  )
}

function OwnerWays(): JSX.Element {
  const isByCode = new URLSearchParams(useSearch()).get('by') === 'code'
  return (
    <>
      {sendsMail() && (
        <li>
          {isByCode ? (
            <TextLink href="/forgot-password">{t('Get a link by email.')}</TextLink>
          ) : (
            <TextLink href="/forgot-password?by=code">{t('Use a recovery code.')}</TextLink>
          )}
        </li>
      )}
      {hasIdentityProvider() && (
        <li>
          {tRich('{link}, then set a new password.', {
            link: <TextLink href="/api/login">{t('Sign in with your identity provider')}</TextLink>,
          })}
        </li>
      )}
      <li>{t('Are you still signed in on another device? You can make new codes there, under Security.')}</li>
      <li>
        {t('Whoever runs this server can make a link for you that sets a new password:')}{' '}
        <code className="wrap-anywhere">npm run reset-password</code>
      </li>
      <li>
        {t('Are you a manager?')}{' '}
        <TextLink href="/forgot-password?for=manager">{t('Reset a manager’s password.')}</TextLink>
      </li>
    </>
  )
}
