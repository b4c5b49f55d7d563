import KeyRound from 'lucide-react/icons/key-round'
import { type FormEvent, type JSX, useId, useState } from 'react'
import { api } from '#contract/api.ts'
import type { ConfirmableIdentity } from '#contract/confirmation.ts'
import { call, errorMessage } from '../api/http.ts'
import { canUsePasskeys, confirmWithPasskey, passkeyErrorMessage } from '../api/passkeys.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { PasswordField } from '../ui/form/password-field.tsx'

export type ConfirmIdentityDialogProps = {
  identity: ConfirmableIdentity
  /** Whether they confirmed it. */
  onDone: (confirmed: boolean) => void
}

export function ConfirmIdentityDialog({ identity, onDone }: ConfirmIdentityDialogProps): JSX.Element {
  const formId = useId()
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [sending, setSending] = useState(false)

  async function confirm(): Promise<void> {
    if (password === '') return setProblem('Please enter your password')
    setSending(true)
    try {
      await call(api.accounts.confirmIdentity, { body: { password } })
      onDone(true)
    } catch (refused) {
      setSending(false)
      setProblem(errorMessage(refused, 'This did not work. Please try again.'))
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    // The form in whose place on the page this one stands is not meant.
    event.stopPropagation()
    if (!sending) void confirm()
  }

  return (
    <Dialog
      title="Confirm it’s you"
      description="You signed in a while ago, and this changes or shows something that only you should."
      open
      onOpenChange={(open) => !open && onDone(false)}
      actions={
        <>
          <Button onClick={() => onDone(false)}>Cancel</Button>
          {identity.password && (
            <Button type="submit" form={formId} variant="primary" pending={sending}>
              Confirm
            </Button>
          )}
        </>
      }
    >
      {identity.password && (
        <form id={formId} onSubmit={submit} noValidate className="flex flex-col gap-4">
          {/* Password keepers learn whose password it is. */}
          <input hidden readOnly autoComplete="username" value={identity.name} />
          <PasswordField
            label={<PasswordLabel {...identity} />}
            autoComplete="current-password"
            autoFocus
            required
            value={password}
            onChange={({ target }) => {
              setPassword(target.value)
              setProblem(null)
            }}
            error={problem}
          />
        </form>
      )}
      {identity.passkey && canUsePasskeys() && <PasskeyConfirmation onDone={() => onDone(true)} />}
      {identity.provider && <ProviderSignIn alone={!identity.password} />}
    </Dialog>
  )
}

function PasswordLabel({ kind, name }: ConfirmIdentityDialogProps['identity']): JSX.Element {
  return (
    <>
      {kind === 'owner' ? 'Admin Login password of ' : 'Management password of '}
      <bdi className="wrap-anywhere">{name}</bdi>
    </>
  )
}

function PasskeyConfirmation({ onDone }: { onDone: () => void }): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function confirm(): Promise<void> {
    setProblem(null)
    setBusy(true)
    try {
      await confirmWithPasskey()
      onDone()
    } catch (refused) {
      setBusy(false)
      setProblem(passkeyErrorMessage(refused, 'The passkey did not work. Please try again.'))
    }
  }

  return (
    <div className="flex flex-col items-start gap-3">
      <Button icon={<KeyRound aria-hidden size={20} />} pending={busy} onClick={() => void confirm()}>
        Use a passkey
      </Button>
      <p role="alert" className="font-semibold text-late empty:hidden">
        {problem}
      </p>
    </div>
  )
}

function ProviderSignIn({ alone }: { alone: boolean }): JSX.Element {
  const query = new URLSearchParams({ confirm: '1', returnTo: location.pathname + location.search })
  return (
    <div className="flex flex-col items-start gap-3">
      <p>
        {alone ? 'Sign in' : 'Or sign in'} again with your identity provider. You come back to this page, but
        what you typed and did not save is lost.
      </p>
      <LinkButton href={`/api/login?${query}`}>Sign in again</LinkButton>
    </div>
  )
}
