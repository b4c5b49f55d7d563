import { type FormEvent, type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import { passwordMinLength } from '#contract/accounts.ts'
import { StaffPassword } from '#contract/devices.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { LoadingOrError } from './loading-or-error.tsx'
import { useChange } from './use-change.ts'

/** What staff type at Restaurant Login, so that nobody needs the owner's own password for a tablet. */
export function StaffPasswordCard(): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.staffPassword.state, {})
  return (
    <Card
      title="Staff password"
      description="For your crew's devices at Restaurant Login, and for nothing else"
    >
      {data ? <PasswordSetting setAt={data.setAt} /> : <LoadingOrError failed={isError} again={refetch} />}
    </Card>
  )
}

const refreshes = [api.staffPassword.state, api.devices.list]
const dateFormat = new Intl.DateTimeFormat('en', { dateStyle: 'long' })

function PasswordSetting({ setAt }: { setAt: number | null }): JSX.Element {
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, change] = useChange()
  const isSet = setAt !== null

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    const checked = parse(StaffPassword, { password })
    if (!checked.ok) return setProblem(checked.message)
    const saved = await change({
      send: async () => await call(api.staffPassword.set, { body: checked.value }),
      successMessage: isSet ? 'Staff password changed' : 'Staff password set',
      errorMessage: 'The staff password could not be set',
      refreshes,
    })
    if (saved) setPassword('')
  }

  const remove = (): void =>
    void change({
      send: async () => await call(api.staffPassword.remove),
      successMessage: 'Staff password removed',
      errorMessage: 'The staff password could not be removed',
      refreshes,
    })

  return (
    <>
      {isSet ? (
        <p>
          Set on {dateFormat.format(setAt)}. Your own password works at Restaurant Login, too. Changing or
          removing the staff password signs out the devices that came with it.
        </p>
      ) : (
        <Notice tone="plain">
          Whoever knows your own password can own this restaurant. Give your crew a password of their own, or
          sign their devices in with a code.
        </Notice>
      )}
      <form onSubmit={(event) => void save(event)} noValidate className="flex flex-col gap-3">
        <PasswordField
          label={isSet ? 'New staff password' : 'Staff password'}
          strength
          hint={`At least ${passwordMinLength} characters, and not your own password`}
          autoComplete="new-password"
          value={password}
          onChange={({ target }) => {
            setPassword(target.value)
            setProblem(null)
          }}
          error={problem}
        />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" pending={busy}>
            {isSet ? 'Change staff password' : 'Set staff password'}
          </Button>
          {isSet && (
            <Button variant="danger" disabled={busy} onClick={remove}>
              Remove staff password
            </Button>
          )}
        </div>
      </form>
    </>
  )
}
