import { type JSX, useState } from 'react'
import * as v from 'valibot'
import { Link } from 'wouter'
import { ManagerCredentials, passwordMinLength } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { ApiError, saidBy } from '../../api/http.ts'
import { useReads, useWrite } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/field.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useToast } from '../../ui/toast.tsx'

/** Nobody, the manager there is, or one to come. */
type Chosen = '' | 'current' | 'new'

type Problem = { field: 'username' | 'password'; message: string }

export function ManagerAccess({ managerUsername }: { managerUsername: string | null }): JSX.Element {
  const [chosen, setChosen] = useState<Chosen>('')
  return (
    <Card title="Manager Access Management" description="Who may open the Management Portal">
      <SelectField
        label="Manager"
        value={chosen}
        onChange={({ target: { value } }) => setChosen(value === 'current' || value === 'new' ? value : '')}
      >
        <option value="">Select a manager</option>
        {managerUsername !== null && <option value="current">{managerUsername} (Current)</option>}
        <option value="new">Add New Manager</option>
      </SelectField>
      {chosen !== '' && (
        <AccessForm
          key={chosen}
          existing={chosen === 'current' ? managerUsername : null}
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
  onDone: () => void
}

function AccessForm({ existing, onDone }: AccessFormProps): JSX.Element {
  const { toast } = useToast()
  const save = useWrite(api.managers.setCredentials, api.managers.currentUser)
  const { refresh } = useReads()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [tooLongAgo, setTooLongAgo] = useState(false)

  async function submit(): Promise<void> {
    const checked = checkedCredentials(existing ?? username, password)
    if ('problem' in checked) return setProblem(checked.problem)
    try {
      await save.mutateAsync({
        body: { ...checked.credentials, meant: existing === null ? 'new' : 'existing' },
      })
    } catch (refused) {
      const status = refused instanceof ApiError ? refused.status : 0
      if (status === 403) return setTooLongAgo(true)
      // The owner has removed the manager meanwhile.
      if (status === 404) void refresh(api.managers.currentUser)
      if (refused instanceof ApiError && status === 409) {
        setProblem({ field: 'username', message: refused.message })
      }
      const description = saidBy(refused, 'Failed to update manager credentials')
      return toast({ title: 'Error', description, destructive: true })
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
          maxLength={80}
          value={username}
          onChange={({ target }) => setUsername(target.value)}
          error={problem?.field === 'username' ? problem.message : null}
        />
      ) : (
        // Password keepers learn whose password it is.
        <input hidden readOnly autoComplete="username" value={existing} />
      )}
      <PasswordField
        label="Password"
        hint={`At least ${passwordMinLength} characters`}
        autoComplete="new-password"
        required
        value={password}
        onChange={({ target }) => setPassword(target.value)}
        error={problem?.field === 'password' ? problem.message : null}
      />
      <div role="alert" className="empty:-mt-4">
        {tooLongAgo && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-control bg-plate-2 px-4 py-3">
            <p className="min-w-40 flex-1">
              <strong>Please sign in again to do that.</strong> You signed in a while ago, and this changes
              who can sign in.
            </p>
            <Link href="/management-login" asChild>
              <LinkButton>Sign in again</LinkButton>
            </Link>
          </div>
        )}
      </div>
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

function checkedCredentials(
  username: string,
  password: string,
): { credentials: ManagerCredentials } | { problem: Problem } {
  const name = v.safeParse(Username, username)
  const word = v.safeParse(Password, password)
  if (!name.success) return { problem: { field: 'username', message: name.issues[0].message } }
  if (!word.success) return { problem: { field: 'password', message: word.issues[0].message } }
  return { credentials: { username: name.output, password: word.output } }
}
