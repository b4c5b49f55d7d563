import { type JSX, useState } from 'react'
import * as v from 'valibot'
import { ManagerCredentials, passwordMinLength } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { ApiError, errorMessage } from '../../api/http.ts'
import { useFreshApiQuery, useApiCache, useApiMutation } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { SelectField } from '../../ui/form/select-field.tsx'
import { useErrorToast, useToast } from '../../ui/toast.tsx'

/** Nobody, the manager there is, who asks, or one to come. */
type ManagerChoice = '' | 'current' | 'own' | 'new'

const isManagerChoice = (value: string): value is ManagerChoice =>
  ['', 'current', 'own', 'new'].includes(value)

type FieldError = { field: 'username' | 'currentPassword' | 'password'; message: string }

export function ManagerAccess({ managerUsername }: { managerUsername: string | null }): JSX.Element {
  const [chosen, setChosen] = useState<ManagerChoice>('')
  const { data: identity } = useFreshApiQuery(api.accounts.identity, {})
  const ownName = identity?.kind === 'manager' ? identity.name : null
  const existing = chosen === 'current' ? managerUsername : chosen === 'own' ? ownName : null
  return (
    <Card title="Manager Access Management" description="Who may open the Management Portal">
      <SelectField
        label="Manager"
        value={chosen}
        onChange={({ target: { value } }) => setChosen(isManagerChoice(value) ? value : '')}
      >
        <option value="">Select a manager</option>
        {managerUsername !== null && <option value="current">{managerUsername} (Current)</option>}
        {ownName !== null && ownName !== managerUsername && <option value="own">{ownName} (You)</option>}
        <option value="new">Add New Manager</option>
      </SelectField>
      {chosen !== '' && (
        <AccessForm
          key={chosen}
          existing={existing}
          // Over another manager's password nobody has a say but the owner and who knows it.
          needsCurrent={existing !== null && ownName !== null && ownName !== existing}
          onDone={() => setChosen('')}
        />
      )}
      <p className="text-text-mute">
        Managers sign in through Portal Selection, Management Portal, with the username and the password set
        here. A new password signs that manager out everywhere else.
      </p>
    </Card>
  )
}

type AccessFormProps = {
  /** Whose password is changed; null adds a manager. */
  existing: string | null
  needsCurrent: boolean
  onDone: () => void
}

function AccessForm({ existing, needsCurrent, onDone }: AccessFormProps): JSX.Element {
  const { toast } = useToast()
  const showError = useErrorToast()
  const save = useApiMutation(api.managers.setCredentials, api.managers.currentUser)
  const { invalidate } = useApiCache()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<FieldError | null>(null)
  const [currentPassword, setCurrentPassword] = useState('')

  async function submit(): Promise<void> {
    const checked = parseCredentials(existing ?? username, password)
    if ('problem' in checked) return setProblem(checked.problem)
    if (needsCurrent && currentPassword === '') {
      return setProblem({ field: 'currentPassword', message: `Please enter ${existing}'s current password` })
    }
    try {
      await save.mutateAsync({
        body: {
          ...checked.credentials,
          meant: existing === null ? 'new' : 'existing',
          ...(needsCurrent && { currentPassword }),
        },
      })
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0
      if (needsCurrent && error instanceof ApiError && error.code === 'forbidden') {
        setProblem({ field: 'currentPassword', message: error.message })
      }
      // The owner has removed the manager meanwhile.
      if (status === 404) void invalidate(api.managers.currentUser)
      if (error instanceof ApiError && status === 409) {
        setProblem({ field: 'username', message: error.message })
      }
      return showError(errorMessage(error, 'Failed to update manager credentials'))
    }
    toast({
      title: 'Success',
      description: existing === null ? 'Manager added successfully' : 'Password updated successfully',
    })
    onDone()
  }

  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) void submit()
      }}
      onInput={() => setProblem(null)}
    >
      {existing === null ? (
        <Field
          label="Username"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={username}
          onChange={({ target }) => setUsername(target.value)}
          error={problem?.field === 'username' ? problem.message : null}
        />
      ) : (
        // Password keepers learn whose password it is.
        <input hidden readOnly autoComplete="username" value={existing} />
      )}
      {needsCurrent && (
        <PasswordField
          label={
            <>
              <bdi className="wrap-anywhere">{existing}</bdi>’s current password
            </>
          }
          hint="The owner can set a new password without it, in the Admin Portal."
          autoComplete="off"
          required
          value={currentPassword}
          onChange={({ target }) => setCurrentPassword(target.value)}
          error={problem?.field === 'currentPassword' ? problem.message : null}
        />
      )}
      <PasswordField
        label="Password"
        strength
        hint={`At least ${passwordMinLength} characters`}
        autoComplete="new-password"
        required
        value={password}
        onChange={({ target }) => setPassword(target.value)}
        error={problem?.field === 'password' ? problem.message : null}
      />
      <div>
        <Button type="submit" variant="primary" pending={save.isPending}>
          {existing === null ? 'Add Manager' : 'Update Password'}
        </Button>
      </div>
    </form>
  )
}

const Username = ManagerCredentials.entries.username
const Password = ManagerCredentials.entries.password

function parseCredentials(
  username: string,
  password: string,
): { credentials: ManagerCredentials } | { problem: FieldError } {
  const name = v.safeParse(Username, username)
  const word = v.safeParse(Password, password)
  if (!name.success) return { problem: { field: 'username', message: name.issues[0].message } }
  if (!word.success) return { problem: { field: 'password', message: word.issues[0].message } }
  return { credentials: { username: name.output, password: word.output } }
}
