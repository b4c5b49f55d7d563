import type { JSX } from 'react'
import { ManagerCredentials } from '#contract/accounts/account-forms.ts'
import type { AdminUser } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { nameKey } from '#contract/primitives.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { UsernameField } from '../../../ui/form/username-field.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { RecentlyDeleted } from '../deleted/recently-deleted.tsx'
import { useReportError } from '../use-report-error.ts'
import { ManagersList } from './managers-list.tsx'

/** The owner's account, and what managers sign in with. */
export function UserManagement({ user, email }: { user: AdminUser; email: string }): JSX.Element {
  const { managers = [] } = user
  return (
    <Card title={t('User Management')} description={t('Who signs in to the Management Portal')}>
      <dl className="grid items-baseline gap-x-6 gap-y-1 max-sm:*:[dd]:mb-2 sm:grid-cols-[auto_1fr]">
        <dt className="text-text-mute">{t('Owner')}</dt>
        <dd className="wrap-anywhere">{email}</dd>
        <dt className="text-text-mute">{t('Manager')}</dt>
        <dd>{managers.length === 0 ? t('None yet') : <ManagersList managers={managers} />}</dd>
      </dl>
      <RecentlyDeleted kind="manager" />
      <CredentialsForm managers={managers.map(({ username }) => username)} />
    </Card>
  )
}

function CredentialsForm({ managers }: { managers: readonly string[] }): JSX.Element {
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const form = useForm({
    initial: { username: '', password: '' },
    parse: (values) => parse(ManagerCredentials, values),
    async submit(body, { reset }) {
      await call(api.managers.setCredentials, { body })
      toast({ title: t('Success'), description: t('Manager credentials updated successfully') })
      reset()
      await invalidate(api.managers.currentUser)
    },
    onError: (error) => reportError(error, 'Failed to update manager credentials'),
  })
  const existing = managers.find((name) => nameKey(name) === nameKey(form.values.username))
  return (
    <form {...form.props} className="mt-auto flex flex-col gap-3 border-t border-rule pt-4">
      <UsernameField
        label={t('Manager Username')}
        hint={
          existing &&
          t('There is a manager called {name} already, who gets this password.', { name: existing })
        }
        {...form.field('username')}
      />
      <PasswordField
        label={t('Manager Password')}
        strength
        autoComplete="new-password"
        {...form.field('password')}
      />
      <div>
        <Button type="submit" pending={form.busy} pendingLabel={t('Updating…')}>
          {t('Update Credentials')}
        </Button>
      </div>
    </form>
  )
}
