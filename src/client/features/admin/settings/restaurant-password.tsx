import type { JSX } from 'react'
import { RestaurantPassword as PasswordChange } from '#contract/accounts/account-forms.ts'
import { passwordMinLength } from '#contract/accounts/passwords.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { NewPasswordFields } from '../../../ui/form/new-password-fields.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useReportError } from '../use-report-error.ts'

const emptyForm = { currentPassword: '', password: '', confirmPassword: '' }

const currentPasswordMissing = {
  ok: false as const,
  field: 'currentPassword',
  title: 'Required',
  message: 'Please enter your current password',
}

const passwordMismatch = {
  ok: false as const,
  field: 'confirmPassword',
  title: 'Password Mismatch',
  message: 'Passwords do not match',
}

/** Devices sign in with it at Restaurant Login. An owner who came through an identity provider has none at first. */
export function RestaurantPassword({ hasPassword }: { hasPassword: boolean }): JSX.Element {
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const form = useForm({
    initial: emptyForm,
    parse(values) {
      const { currentPassword, password, confirmPassword } = values
      if (hasPassword && currentPassword === '') return currentPasswordMissing
      const parsed = parse(PasswordChange, { password, ...(hasPassword && { currentPassword }) })
      return parsed.ok && password !== confirmPassword ? passwordMismatch : parsed
    },
    async submit(body, { reset }) {
      await call(api.accounts.setPassword, { body })
      toast({ title: t('Success'), description: t(hasPassword ? 'Password changed' : 'Password set') })
      reset()
      await invalidate(api.managers.currentUser)
    },
    onError: (error) => reportError(error, 'Failed to set the restaurant password'),
  })

  return (
    <Card
      title={t('Restaurant Password')}
      anchor="restaurant-password"
      description={
        hasPassword
          ? t('For your devices at Restaurant Login, and for yourself at Admin Login')
          : t('There is none yet, so none of your devices can sign in at Restaurant Login')
      }
    >
      <form {...form.props} className="flex flex-col gap-3">
        {hasPassword && (
          <PasswordField
            label={t('Current Password')}
            autoComplete="current-password"
            {...form.field('currentPassword')}
          />
        )}
        <NewPasswordFields
          form={form}
          label={t('New Password')}
          hint={t('At least {count} characters. Other devices have to sign in again with it.', {
            count: passwordMinLength,
          })}
        />
        <div>
          <Button type="submit" pending={form.busy} pendingLabel={t('Saving…')}>
            {t(hasPassword ? 'Change Password' : 'Set Password')}
          </Button>
        </div>
      </form>
    </Card>
  )
}
