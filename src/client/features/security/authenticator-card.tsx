import { type JSX, useState } from 'react'
import type { NewAuthenticator } from '#contract/accounts/second-factors.ts'
import { api } from '#contract/api.ts'
import { call, errorMessage } from '../../api/http.ts'
import { useFreshApiQuery, useApiQuery } from '../../api/queries.ts'
import { useTask } from '../../lib/hooks/use-task.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'
import { plural, t } from '../../lib/texts/translate.ts'
import { formatDate } from '../../lib/time/dates.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SecondFactorField } from '../../ui/form/second-factor-field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { LoadingOrError } from '../../ui/page/load-error.tsx'
import { Notice } from '../../ui/page/notice.tsx'
import { useErrorToast, useToast } from '../../ui/toast/toast.tsx'
import { useChange } from './use-change.ts'

const secondFactors = api.secondFactors

/** A code from a phone, asked for after the password. */
export function AuthenticatorCard(): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(secondFactors.authenticator, {})
  const [setUp, setSetUp] = useState<NewAuthenticator | null>(null)
  const [changed, setChanged] = useState(false)
  const done = (): void => {
    setSetUp(null)
    setChanged(true)
    void refetch()
  }
  return (
    <Card
      title={t('Authenticator app')}
      anchor="authenticator"
      description={t('Even somebody who knows your password cannot sign in without a code from your phone')}
    >
      {(!data || isError) && <LoadingOrError failed={isError} onRetry={refetch} />}
      {data && data.since !== null && <TurnOffStep since={data.since} onDone={done} />}
      {data?.since === null && setUp && (
        <TurnOnStep setUp={setUp} onDone={done} onCancel={() => setSetUp(null)} />
      )}
      {data?.since === null &&
        !setUp &&
        (data.hasPassword ? (
          <SetUpStep onBegun={setSetUp} />
        ) : (
          <p>{t('You sign in with your identity provider, which asks for its own codes.')}</p>
        ))}
      {changed && <OtherSignIns />}
    </Card>
  )
}

function SetUpStep({ onBegun }: { onBegun: (setUp: NewAuthenticator) => void }): JSX.Element {
  const [busy, run] = useTask()
  const showError = useErrorToast()
  async function begin(): Promise<void> {
    try {
      onBegun(await call(secondFactors.beginAuthenticator))
    } catch (error) {
      showError(errorMessage(error, 'The authenticator app could not be set up'))
    }
  }
  return (
    <>
      <p>
        {t(
          'It is off. You need an app such as Google Authenticator, Microsoft Authenticator or a password manager on your phone.',
        )}
      </p>
      <div>
        <Button variant="primary" pending={busy} onClick={() => void run(begin)}>
          {t('Set up')}
        </Button>
      </div>
    </>
  )
}

type TurnOnStepProps = { setUp: NewAuthenticator; onDone: () => void; onCancel: () => void }

function TurnOnStep({ setUp: { secret, svg }, onDone, onCancel }: TurnOnStepProps): JSX.Element {
  const send = async (code: string): Promise<void> =>
    await call(secondFactors.turnAuthenticatorOn, { body: { code } })
  return (
    <>
      <ol className="flex list-decimal flex-col gap-4 ps-6">
        <li>
          <p>{t('Scan this with the app:')}</p>
          <img
            src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
            alt={t('QR code for your authenticator app')}
            width={200}
            height={200}
            className="mt-2 rounded-control"
          />
          <p className="mt-2 text-text-mute">
            {tRich('Or type this key: {key}', {
              key: <code className="wrap-anywhere">{secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>,
            })}
          </p>
        </li>
        <li>{t('Enter the code that the app shows now.')}</li>
      </ol>
      <CodeForm
        label={t('6-digit code')}
        button={t('Turn on')}
        successMessage={t('Authenticator app is on')}
        {...{ send, onDone }}
      >
        <Button onClick={onCancel}>{t('Cancel')}</Button>
      </CodeForm>
    </>
  )
}

/** Other browsers may have signed in without the new second factor. */
function OtherSignIns(): JSX.Element | null {
  const { data = [] } = useFreshApiQuery(api.sessions.list, {})
  const [busy, change] = useChange()
  const others = data.filter(({ isThisBrowser }) => !isThisBrowser).length
  if (others === 0) return null
  const signOut = (): void =>
    void change({
      send: async () => await call(api.sessions.signOutOthers),
      successMessage: 'All others were signed out',
      errorMessage: 'They could not be signed out',
      refreshes: [api.sessions.list],
    })
  return (
    <Notice
      tone="plain"
      action={
        <Button pending={busy} onClick={signOut}>
          {t('Sign out everywhere else')}
        </Button>
      }
    >
      {plural(
        others,
        'Another browser is still signed in as you.',
        '{count} other browsers are still signed in as you.',
      )}
    </Notice>
  )
}

/** Points to the recovery codes if there are none. */
function RecoveryCodesHint(): JSX.Element | null {
  const { data } = useApiQuery(api.recovery.codes, {})
  if (data?.left !== 0) return null
  return (
    <Notice action={<LinkButton href="#recovery-codes">{t('Recovery codes')}</LinkButton>}>
      {t('You have no recovery codes. Without them a lost phone shuts you out.')}
    </Notice>
  )
}

function TurnOffStep({ since, onDone }: { since: number; onDone: () => void }): JSX.Element {
  const [open, setOpen] = useState(false)
  const send = async (code: string): Promise<void> =>
    await call(secondFactors.turnAuthenticatorOff, { body: { code } })
  return (
    <>
      <p>
        {tRich('{on} since {day}. Without your phone, each of your recovery codes lets you in once.', {
          on: <strong>{t('It is on')}</strong>,
          day: (
            <time dateTime={new Date(since).toISOString()}>{formatDate(since, { dateStyle: 'long' })}</time>
          ),
        })}
      </p>
      <RecoveryCodesHint />
      {open ? (
        <CodeForm
          label={t('6-digit code or recovery code')}
          button={t('Turn off')}
          successMessage={t('Authenticator app is off')}
          {...{ send, onDone }}
        >
          <Button onClick={() => setOpen(false)}>{t('Cancel')}</Button>
        </CodeForm>
      ) : (
        <div>
          <Button onClick={() => setOpen(true)}>{t('Turn off')}</Button>
        </div>
      )}
    </>
  )
}

type CodeFormProps = {
  label: string
  button: string
  /** When it worked. */
  successMessage: string
  send: (code: string) => Promise<void>
  onDone: () => void
  children: JSX.Element
}

function CodeForm({ label, button, successMessage, send, onDone, children }: CodeFormProps): JSX.Element {
  const { toast } = useToast()
  const form = useForm({
    initial: { code: '' },
    parse: ({ code }) =>
      code.trim() === '' ? { ok: false, message: 'Please enter the code' } : { ok: true, value: code },
    async submit(code) {
      await send(code)
      toast({ title: t('Success'), description: successMessage })
      onDone()
    },
    onError: (error, showIssue) =>
      showIssue({ field: 'code', message: errorMessage(error, 'This did not work. Please try again.') }),
    inline: true,
    once: true,
  })
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <SecondFactorField label={label} {...form.field('code')} />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="primary" pending={form.busy}>
          {button}
        </Button>
        {children}
      </div>
    </form>
  )
}
