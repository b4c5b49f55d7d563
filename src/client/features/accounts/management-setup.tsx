import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type JSX, useRef, useState } from 'react'
import * as v from 'valibot'
import { Link, Redirect } from 'wouter'
import { ManagerSetup } from '#contract/accounts/account-forms.ts'
import { passwordMinLength } from '#contract/accounts/passwords.ts'
import type { SignedInRestaurant } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { ApiError, call, errorMessage } from '../../api/http.ts'
import { removeStored } from '../../lib/browser/browser-storage.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { NewPasswordFields } from '../../ui/form/new-password-fields.tsx'
import { UsernameField } from '../../ui/form/username-field.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Notice } from '../../ui/page/notice.tsx'
import { Page } from '../../ui/page/page.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { rememberRestaurant, useRestaurantSession } from './restaurant-session.ts'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { validatePasswordMatch, useLoginForm } from './sign-in/use-login-form.ts'
import { SuccessStatus } from './success-status.tsx'

export function ManagementSetup(): JSX.Element {
  const restaurant = useRestaurantSession()
  switch (restaurant.state) {
    case 'unknown':
      return (
        <Page theme="light" title={t('Management Setup')} width="narrow" stacked>
          <Spinner />
        </Page>
      )
    case 'none':
      return <Redirect to="/restaurant-login" replace />
    case 'known':
      return <SetupForm restaurantName={restaurant.name} />
  }
}

const allFields = 'Please fill in all fields'
const SetupInput = v.object({
  ...v.omit(ManagerSetup, ['restaurantName']).entries,
  confirmPassword: v.pipe(v.string(allFields), v.minLength(1, allFields)),
})

/** The message and status of the step that failed. */
class StepError extends Error {
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

type Resolution = { message: string; to: string; label: string }

/** By status: where to go when different input cannot resolve the error. */
const resolutions: Partial<Record<number, Resolution>> = {
  403: {
    message: 'You signed in a while ago. Please sign in again to do that.',
    to: '/restaurant-login',
    label: 'Sign in again',
  },
  409: {
    message: 'Somebody has set this up already. Sign in with those credentials.',
    to: '/management-login',
    label: 'Management Login',
  },
}

function SetupForm({ restaurantName }: { restaurantName: string }): JSX.Element {
  /** The credentials are created only once, even if the login afterwards fails and is retried. */
  const created = useRef(false)
  const [resolution, setResolution] = useState<Resolution | null>(null)

  async function setUp(username: string, password: string): Promise<SignedInRestaurant> {
    const body = { restaurantName, username, password }
    if (!created.current)
      await withStepError(call(api.managers.setup, { body }), 'Failed to set up credentials')
    created.current = true
    return await withStepError(call(api.managers.login, { body }), 'Failed to log in')
  }

  const form = useLoginForm({
    schema: SetupInput,
    validate: (typed) => validatePasswordMatch(typed, 'Passwords do not match. Please try again.'),
    send: async ({ username, password }) => await setUp(username, password),
    describeError(error) {
      if (!(error instanceof StepError))
        return { title: 'Error', description: 'Failed to set up management credentials' }
      setResolution(resolutions[error.status] ?? null)
      return { title: 'Error', description: error.message }
    },
    onSuccess(signedIn) {
      rememberRestaurant(signedIn.restaurantName)
      removeStored('firstTimeSetup')
    },
    nextPath: '/management-dashboard',
    delayMs: 1500,
  })

  return (
    <SignInPage title={t('Management Setup')} subtitle={restaurantName} back="/portal-selection" form={form}>
      <p className="flex gap-3 rounded-control bg-plate-2 p-4">
        <TriangleAlert aria-hidden className="mt-0.5 shrink-0 text-action" />
        <span>
          <strong>{t('Please remember these credentials.')}</strong>{' '}
          {t('You need them every time you open the Management Portal.')}
        </span>
      </p>
      <UsernameField {...form.field('username')} autoComplete="username" required />
      <NewPasswordFields
        form={form}
        label={t('Password')}
        hint={t('At least {count} characters', { count: passwordMinLength })}
        required
      />
      <Button type="submit" variant="primary" wide pending={form.busy} pendingLabel={t('Setting up...')}>
        {t('Complete Setup')}
      </Button>
      {resolution && (
        <Notice
          tone="plain"
          action={
            <Link href={resolution.to} asChild>
              <LinkButton>{t(resolution.label)}</LinkButton>
            </Link>
          }
        >
          {t(resolution.message)}
        </Notice>
      )}
      <SuccessStatus>
        {form.state === 'done' && t('Your credentials are set. Opening the Management Portal…')}
      </SuccessStatus>
    </SignInPage>
  )
}

async function withStepError<T>(step: Promise<T>, fallback: string): Promise<T> {
  try {
    return await step
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0
    throw new StepError(errorMessage(error, fallback), status)
  }
}
