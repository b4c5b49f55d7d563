import type { JSX, ReactNode } from 'react'
import * as v from 'valibot'
import { Link, useSearch } from 'wouter'
import { api } from '#contract/api.ts'
import { CodeRecovery } from '#contract/recovery.ts'
import { call, errorMessage } from '../../api/http.ts'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { UsernameField } from '../../ui/form/username-field.tsx'
import { hasIdentityProvider } from '../../lib/page-settings.ts'
import { NewPassword } from './new-password.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { validatePasswordMatch, useLoginForm } from './use-login-form.ts'

const ManagerRecovery = v.required(CodeRecovery, ['username'])

/** The link on the login screens. */
export function ForgotPasswordLink({ manager = false }: { manager?: boolean }): JSX.Element {
  const path = `/forgot-password${manager ? '?for=manager' : ''}`
  return (
    <p className="text-center">
      <TextLink href={path}>Forgot password?</TextLink>
    </p>
  )
}

export function ForgotPassword(): JSX.Element {
  const isManager = new URLSearchParams(useSearch()).get('for') === 'manager'
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
      title="Forgot Password"
      subtitle="Set a new one with one of your recovery codes"
      back={signIn}
      form={form}
      after={<OtherWays isManager={isManager} />}
    >
      <Field
        label={isManager ? 'Restaurant Name' : 'Restaurant Name or Email'}
        {...form.field('restaurantName')}
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      {isManager && <UsernameField {...form.field('username')} autoComplete="username" required />}
      <Field
        label="Recovery Code"
        {...form.field('code')}
        hint="Such as 7K2M-9QXA-4T0C-W3RE. Each works once."
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        required
      />
      <NewPassword form={form} />
    </SignInPage>
  )
}

function OtherWays({ isManager }: { isManager: boolean }): JSX.Element {
  return (
    <Card title="No recovery code at hand?">
      <ul className="flex list-disc flex-col gap-2 ps-5">{isManager ? <ManagerWays /> : <OwnerWays />}</ul>
    </Card>
  )
}

function ManagerWays(): JSX.Element {
  return (
    <>
      <li>Ask the owner of your restaurant: the Admin Portal sets a new password for you, under Users.</li>
      <li>
        You are the owner? <TextLink href="/forgot-password">Reset the owner’s password.</TextLink>
      </li>
    </>
  )
}

function OwnerWays(): JSX.Element {
  return (
    <>
      {hasIdentityProvider() && (
        <li>
          <TextLink href="/api/login">Sign in with your identity provider</TextLink>, then set a new password.
        </li>
      )}
      <li>Are you still signed in on another device? You can make new codes there, under Security.</li>
      <li>
        Whoever runs this server can make a link for you that sets a new password:{' '}
        <code className="wrap-anywhere">npm run reset-password</code>
      </li>
      <li>
        You are a manager?{' '}
        <TextLink href="/forgot-password?for=manager">Reset a manager’s password.</TextLink>
      </li>
    </>
  )
}

function TextLink({ href, children }: { href: string; children: ReactNode }): JSX.Element {
  return (
    <Link href={href} className="font-semibold text-action underline">
      {children}
    </Link>
  )
}
