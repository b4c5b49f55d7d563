import type { FormEvent, JSX } from 'react'
import { passwordMinLength, RestaurantPassword as Wanted } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { useTask } from '../../../lib/use-task.ts'
import { useReportError } from '../use-report-error.ts'
import { useFields } from '../use-fields.ts'

const emptyForm = { currentPassword: '', password: '', confirmPassword: '' }

/** What devices sign in with at Restaurant Login. An owner who came through an identity provider has none at first. */
export function RestaurantPassword({ hasPassword }: { hasPassword: boolean }): JSX.Element {
  const { form, values: typed, setValues: fill, field, setError: complain } = useFields(emptyForm)
  const [busy, run] = useTask()
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (hasPassword && typed.currentPassword === '')
      return complain('currentPassword', 'Required', 'Please enter your current password')
    const { password, currentPassword } = typed
    const checked = parse(Wanted, { password, ...(hasPassword && { currentPassword }) })
    if (!checked.ok) return complain('password', 'Error', checked.message)
    if (password !== typed.confirmPassword)
      return complain('confirmPassword', 'Password Mismatch', 'Passwords do not match')
    void run(() => send(checked.value))
  }

  async function send(body: Wanted): Promise<void> {
    try {
      await call(api.accounts.setPassword, { body })
      toast({ title: 'Success', description: hasPassword ? 'Password changed' : 'Password set' })
      fill(emptyForm)
      await invalidate(api.managers.currentUser)
    } catch (error) {
      reportError(error, 'Failed to set the restaurant password')
    }
  }

  return (
    <Card
      title="Restaurant Password"
      description={
        hasPassword
          ? 'For your devices at Restaurant Login, and for yourself at Admin Login'
          : 'There is none yet, so none of your devices can sign in at Restaurant Login'
      }
    >
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-3">
        {hasPassword && (
          <PasswordField
            label="Current Password"
            autoComplete="current-password"
            {...field('currentPassword')}
          />
        )}
        <PasswordField
          label="New Password"
          strength
          hint={`At least ${passwordMinLength} characters. Other devices have to sign in again with it.`}
          autoComplete="new-password"
          {...field('password')}
        />
        <PasswordField
          label="Confirm New Password"
          autoComplete="new-password"
          {...field('confirmPassword')}
        />
        <div>
          <Button type="submit" pending={busy} pendingLabel="Saving…">
            {hasPassword ? 'Change Password' : 'Set Password'}
          </Button>
        </div>
      </form>
    </Card>
  )
}
