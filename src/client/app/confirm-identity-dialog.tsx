import KeyRound from 'lucide-react/icons/key-round'
import { type JSX, useId, useState } from 'react'
import type { ConfirmableIdentity } from '#contract/accounts/confirmation.ts'
import { api } from '#contract/api.ts'
import { call, errorMessage, isSignedOut } from '../api/http.ts'
import { canUsePasskeys, confirmWithPasskey, passkeyErrorMessage } from '../api/passkeys.ts'
import { useTask } from '../lib/hooks/use-task.ts'
import { tRich } from '../lib/texts/translate-rich.ts'
import { t } from '../lib/texts/translate.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { PasswordField } from '../ui/form/password-field.tsx'
import { useForm } from '../ui/form/use-form.ts'
import { LinkButton } from '../ui/link-button.tsx'

export type ConfirmIdentityDialogProps = {
  identity: ConfirmableIdentity
  onDone: (confirmed: boolean) => void
}

export function ConfirmIdentityDialog({ identity, onDone }: ConfirmIdentityDialogProps): JSX.Element {
  const formId = useId()
  const form = useForm({
    initial: { password: '' },
    parse: ({ password }) =>
      password === '' ? { ok: false, message: 'Please enter your password' } : { ok: true, value: password },
    async submit(password) {
      await unlessSignedOut(() => call(api.accounts.confirmIdentity, { body: { password } }))
      onDone(true)
    },
    onError: (error, showIssue) =>
      showIssue({ field: 'password', message: errorMessage(error, 'This did not work. Please try again.') }),
    inline: true,
    once: true,
  })

  return (
    <Dialog
      title={t('Confirm it’s you')}
      description={t('You signed in a while ago, and this changes or shows something that only you should.')}
      open
      onOpenChange={(open) => !open && onDone(false)}
      actions={
        <>
          <Button onClick={() => onDone(false)}>{t('Cancel')}</Button>
          {identity.password && (
            <Button type="submit" form={formId} variant="primary" pending={form.busy}>
              {t('Confirm')}
            </Button>
          )}
        </>
      }
    >
      {identity.password && (
        <form {...form.props} id={formId} className="flex flex-col gap-4">
          {/* Tells password managers whose password it is. */}
          <input hidden readOnly autoComplete="username" value={identity.name} />
          <PasswordField
            label={tRich(passwordLabels[identity.kind], {
              name: <bdi className="wrap-anywhere">{identity.name}</bdi>,
            })}
            autoComplete="current-password"
            autoFocus
            required
            {...form.field('password')}
          />
        </form>
      )}
      {identity.passkey && canUsePasskeys() && <PasskeyConfirmation onDone={() => onDone(true)} />}
      {identity.provider && <ProviderSignIn alone={!identity.password} />}
    </Dialog>
  )
}

/** Whoever is signed out meanwhile cannot confirm anything: the call that is sent again leads them to the sign-in. */
async function unlessSignedOut(confirm: () => Promise<unknown>): Promise<void> {
  try {
    await confirm()
  } catch (error) {
    if (!isSignedOut(error)) throw error
  }
}

const passwordLabels = {
  owner: 'Admin Login password of {name}',
  manager: 'Management password of {name}',
} as const

function PasskeyConfirmation({ onDone }: { onDone: () => void }): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, run] = useTask()

  async function confirm(): Promise<void> {
    setProblem(null)
    try {
      await unlessSignedOut(confirmWithPasskey)
      onDone()
    } catch (error) {
      setProblem(passkeyErrorMessage(error, 'The passkey did not work. Please try again.'))
    }
  }

  return (
    <div className="flex flex-col items-start gap-3">
      <Button icon={<KeyRound aria-hidden size={20} />} pending={busy} onClick={() => void run(confirm)}>
        {t('Use a passkey')}
      </Button>
      <p role="alert" className="font-semibold text-late empty:hidden">
        {problem !== null && t(problem)}
      </p>
    </div>
  )
}

function ProviderSignIn({ alone }: { alone: boolean }): JSX.Element {
  const query = new URLSearchParams({ confirm: '1', returnTo: location.pathname + location.search })
  return (
    <div className="flex flex-col items-start gap-3">
      <p>
        {t(
          alone
            ? 'Sign in again with your identity provider. You come back to this page, but what you typed and did not save is lost.'
            : 'Or sign in again with your identity provider. You come back to this page, but what you typed and did not save is lost.',
        )}
      </p>
      <LinkButton href={`/api/login?${query}`}>{t('Sign in again')}</LinkButton>
    </div>
  )
}
