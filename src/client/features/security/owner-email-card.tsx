import { type JSX, useState } from 'react'
import { NewOwnerEmail } from '#contract/accounts/recovery.ts'
import { api } from '#contract/api.ts'
import { MailedCode } from '#contract/outside/outside-alerts.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { LoadingOrError } from '../../ui/page/load-error.tsx'
import { useChange } from './use-change.ts'

/** Admin Login takes it, and links for a forgotten password go there. */
export function OwnerEmailCard(): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.accounts.currentUser, {})
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  return (
    <Card
      title={t('Email address')}
      anchor="email-address"
      description={t('For Admin Login, and for a link if you forget your password')}
    >
      {data ? (
        <p className="wrap-anywhere">{data.email}</p>
      ) : (
        <LoadingOrError failed={isError} onRetry={refetch} />
      )}
      {mailedTo === null ? (
        <NewAddress onMailed={setMailedTo} />
      ) : (
        <ConfirmAddress email={mailedTo} onDone={() => setMailedTo(null)} />
      )}
    </Card>
  )
}

function NewAddress({ onMailed }: { onMailed: (email: string) => void }): JSX.Element {
  const [busy, change] = useChange()
  const form = useForm({
    initial: { email: '' },
    parse: (values) => parse(NewOwnerEmail, values),
    async submit(body) {
      const mailed = await change({
        send: async () => await call(api.ownerEmail.begin, { body }),
        successMessage: 'A code is on its way to the new address',
        errorMessage: 'The code could not be sent',
        refreshes: [],
      })
      if (mailed) onMailed(body.email)
    },
    inline: true,
  })
  return (
    <form {...form.props} className="flex flex-col gap-3">
      <Field
        label={t('New email address')}
        type="email"
        autoComplete="email"
        hint={t('Gets a code first. The address changes when you enter it.')}
        {...form.field('email')}
      />
      <div>
        <Button type="submit" pending={busy}>
          {t('Change email address')}
        </Button>
      </div>
    </form>
  )
}

type ConfirmProps = { email: string; onDone: () => void }

function ConfirmAddress({ email, onDone }: ConfirmProps): JSX.Element {
  const [busy, change] = useChange()
  const form = useForm({
    initial: { code: '' },
    parse: (values) => parse(MailedCode, values),
    async submit(body) {
      const changed = await change({
        send: async () => await call(api.ownerEmail.confirm, { body }),
        successMessage: 'Email address changed',
        errorMessage: 'The address could not be confirmed',
        refreshes: [api.accounts.currentUser, api.recovery.notices, api.audit.list],
      })
      if (changed) onDone()
    },
    inline: true,
  })
  return (
    <form {...form.props} className="flex flex-col gap-3">
      <Field
        label={t('Code from the email')}
        hint={
          <span className="wrap-anywhere">{t('Mailed to {email}. It works for 30 minutes.', { email })}</span>
        }
        inputMode="numeric"
        autoComplete="one-time-code"
        // The field that had the focus is gone.
        autoFocus
        {...form.field('code')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="primary" pending={busy}>
          {t('Confirm email address')}
        </Button>
        <Button onClick={onDone}>{t('Cancel')}</Button>
      </div>
    </form>
  )
}
