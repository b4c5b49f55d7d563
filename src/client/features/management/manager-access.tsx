import { type JSX, useState } from 'react'
import { ManagerCredentials } from '#contract/accounts/account-forms.ts'
import { passwordMinLength } from '#contract/accounts/passwords.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { ApiError, errorMessage } from '../../api/http.ts'
import { useFreshApiQuery, useApiCache, useApiMutation } from '../../api/queries.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { SelectField } from '../../ui/form/select-field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { UsernameField } from '../../ui/form/username-field.tsx'
import { useErrorToast, useToast } from '../../ui/toast/toast.tsx'

/** Nobody, the current manager, the one who is signed in, or a new one. */
type ManagerChoice = '' | 'current' | 'own' | 'new'

const isManagerChoice = (value: string): value is ManagerChoice =>
  ['', 'current', 'own', 'new'].includes(value)

export function ManagerAccess({ managerUsername }: { managerUsername: string | null }): JSX.Element {
  const [chosen, setChosen] = useState<ManagerChoice>('')
  const { data: identity } = useFreshApiQuery(api.accounts.identity, {})
  const ownName = identity?.kind === 'manager' ? identity.name : null
  const existing = chosen === 'current' ? managerUsername : chosen === 'own' ? ownName : null
  return (
    <Card
      title={t('Manager Access Management')}
      anchor="managers"
      description={t('Who may open the Management Portal')}
    >
      <SelectField
        label={t('Manager')}
        value={chosen}
        onChange={({ target: { value } }) => setChosen(isManagerChoice(value) ? value : '')}
      >
        <option value="">{t('Select a manager')}</option>
        {managerUsername !== null && (
          <option value="current">{t('{name} (Current)', { name: managerUsername })}</option>
        )}
        {ownName !== null && ownName !== managerUsername && (
          <option value="own">{t('{name} (You)', { name: ownName })}</option>
        )}
        <option value="new">{t('Add New Manager')}</option>
      </SelectField>
      {chosen !== '' && (
        <AccessForm
          key={chosen}
          existing={existing}
          // Another manager's password can be changed only by the owner and by whoever knows it.
          needsCurrent={existing !== null && ownName !== null && ownName !== existing}
          onDone={() => setChosen('')}
        />
      )}
    </Card>
  )
}

type AccessFormProps = {
  /** The manager whose password changes; null adds one. */
  existing: string | null
  needsCurrent: boolean
  onDone: () => void
}

function AccessForm({ existing, needsCurrent, onDone }: AccessFormProps): JSX.Element {
  const { toast } = useToast()
  const showError = useErrorToast()
  const save = useApiMutation(api.managers.setCredentials, api.managers.currentUser)
  const { invalidate } = useApiCache()
  const form = useForm({
    initial: { username: '', currentPassword: '', password: '' },
    parse({ username, currentPassword, password }) {
      const parsed = parse(ManagerCredentials, { username: existing ?? username, password })
      return parsed.ok && existing !== null && needsCurrent && currentPassword === ''
        ? {
            ok: false,
            field: 'currentPassword',
            message: t("Please enter {name}'s current password", { name: existing }),
          }
        : parsed
    },
    async submit(credentials, { values: { currentPassword } }) {
      await save.mutateAsync({
        body: {
          ...credentials,
          meant: existing === null ? 'new' : 'existing',
          ...(needsCurrent && { currentPassword }),
        },
      })
      toast({
        title: t('Success'),
        description: t(existing === null ? 'Manager added successfully' : 'Password updated successfully'),
      })
      onDone()
    },
    onError(error, showIssue) {
      showError(errorMessage(error, 'Failed to update manager credentials'))
      if (!(error instanceof ApiError)) return
      const { status, code, message } = error
      if (needsCurrent && code === 'forbidden') showIssue({ field: 'currentPassword', message })
      // The owner has removed the manager meanwhile.
      if (status === 404) void invalidate(api.managers.currentUser)
      if (status === 409) showIssue({ field: 'username', message })
    },
    inline: true,
  })

  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-text-mute">
        {t(
          'Managers sign in through Portal Selection, Management Portal, with the username and the password set here. A new password signs that manager out everywhere else.',
        )}
      </p>
      {existing === null ? (
        <UsernameField required {...form.field('username')} />
      ) : (
        // Tells password managers which account this is.
        <input hidden readOnly autoComplete="username" value={existing} />
      )}
      {needsCurrent && (
        <PasswordField
          label={tRich('{name}’s current password', {
            name: <bdi className="wrap-anywhere">{existing}</bdi>,
          })}
          hint={t('The owner can set a new password without it, in the Admin Portal.')}
          autoComplete="off"
          required
          {...form.field('currentPassword')}
        />
      )}
      <PasswordField
        label={t('Password')}
        strength
        hint={t('At least {count} characters', { count: passwordMinLength })}
        autoComplete="new-password"
        required
        {...form.field('password')}
      />
      <div>
        <Button type="submit" variant="primary" pending={form.busy}>
          {t(existing === null ? 'Add Manager' : 'Update Password')}
        </Button>
      </div>
    </form>
  )
}
