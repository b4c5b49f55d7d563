import { type FormEvent, type JSX } from 'react'
import { type AdminUser, ManagerCredentials } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { ManagersList } from './managers-list.tsx'
import { useTask } from '../../../lib/use-task.ts'
import { useReportError } from '../use-report-error.ts'
import { useFields } from '../use-fields.ts'

const emptyForm = { username: '', password: '' }

/** The owner's account, and what managers sign in with. */
export function UserManagement({ user, email }: { user: AdminUser; email: string }): JSX.Element {
  const { managers = [] } = user
  return (
    <Card title="User Management" description="Who signs in to the Management Portal">
      <dl className="grid items-baseline gap-x-6 gap-y-1 max-sm:*:[dd]:mb-2 sm:grid-cols-[auto_1fr]">
        <dt className="text-text-mute">Owner</dt>
        <dd className="wrap-anywhere">{email}</dd>
        <dt className="text-text-mute">Manager</dt>
        <dd>{managers.length === 0 ? 'None yet' : <ManagersList managers={managers} />}</dd>
      </dl>
      <CredentialsForm />
    </Card>
  )
}

function CredentialsForm(): JSX.Element {
  const { form, values: typed, setValues: fill, field, setError: complain } = useFields(emptyForm)
  const [busy, run] = useTask()
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()

  function submit(event: FormEvent): void {
    event.preventDefault()
    const checked = parse(ManagerCredentials, typed)
    if (!checked.ok) {
      const at = checked.field === 'password' ? 'password' : 'username'
      return complain(at, 'Error', checked.message)
    }
    void run(async () => {
      try {
        await call(api.managers.setCredentials, { body: checked.value })
        toast({ title: 'Success', description: 'Manager credentials updated successfully' })
        fill(emptyForm)
        await invalidate(api.managers.currentUser)
      } catch (error) {
        reportError(error, 'Failed to update manager credentials')
      }
    })
  }

  return (
    <form
      ref={form}
      onSubmit={submit}
      noValidate
      className="mt-auto flex flex-col gap-3 border-t border-rule pt-4"
    >
      <Field
        label="Manager Username"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...field('username')}
      />
      <PasswordField label="Manager Password" strength autoComplete="new-password" {...field('password')} />
      <div>
        <Button type="submit" pending={busy} pendingLabel="Updating…">
          Update Credentials
        </Button>
      </div>
    </form>
  )
}
