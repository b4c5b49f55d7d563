import { type FormEvent, type JSX, type ReactNode, useId, useState } from 'react'
import { api } from '#contract/api.ts'
import { CrewChange, type CrewDetails, type CrewMember, crewRoles } from '#contract/crew.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../api/http.ts'
import { useRead, useReads } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useBusy } from './use-busy.ts'
import { useFailure } from './use-failure.ts'

type CrewMemberDialogProps = { member: CrewMember | null; onClose: () => void }

/** Name and role, and what protects the name: a PIN for the Crew Dashboard, a login for /waiter-login. */
export function CrewMemberDialog({ member, onClose }: CrewMemberDialogProps): JSX.Element {
  const form = useId()
  const [busy, run] = useBusy()
  return (
    <Dialog
      title={member?.name ?? 'Crew member'}
      open={member !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" pending={busy} pendingLabel="Saving…">
            Save
          </Button>
        </>
      }
    >
      {member && <Details key={member.id} {...{ id: member.id, form, busy, run, onClose }} />}
    </Dialog>
  )
}

type Common = {
  form: string
  busy: boolean
  run: (work: () => Promise<void>) => Promise<void>
  onClose: () => void
}

function Details({ id, ...common }: Common & { id: string }): JSX.Element {
  const { data, error, isFetching } = useRead(api.crew.details, { params: { id } })
  if (isFetching || (!data && !error)) return <Spinner />
  if (error) return <p role="alert">{error.message}</p>
  return <DetailsForm details={data} {...common} />
}

type Values = { name: string; role: string; pin: string; username: string; password: string }

function DetailsForm({ details, form, busy, run, onClose }: Common & { details: CrewDetails }): JSX.Element {
  const [values, setValues] = useState<Values>({
    name: details.name,
    role: details.role,
    pin: '',
    username: details.username ?? '',
    password: '',
  })
  const [problems, setProblems] = useState<Partial<Values>>({})
  const { refresh } = useReads()
  const { toast } = useToast()
  const failed = useFailure()
  const { id } = details

  const complain = (description: string): void => toast({ title: 'Error', description, destructive: true })
  const field = (name: keyof Values) => ({
    value: values[name],
    error: problems[name],
    onChange: ({ target }: { target: { value: string } }) => {
      setValues({ ...values, [name]: target.value })
      setProblems({ ...problems, [name]: undefined })
    },
  })

  const send = async (body: CrewChange, said: string): Promise<void> =>
    run(async () => {
      try {
        await call(api.crew.change, { params: { id }, body })
        toast({ title: 'Success', description: said })
        onClose()
        await refresh(api.crew.list)
      } catch (problem) {
        failed(problem, 'Failed to update crew member')
      }
    })

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (values.password !== '' && values.username.trim() === '') {
      setProblems({ username: 'Please enter a username' })
      return complain('Please enter a username')
    }
    const checked = parse(CrewChange, changesIn(values, details))
    if (!checked.ok) {
      setProblems(checked.field === undefined ? {} : { [checked.field]: checked.message })
      return complain(checked.message)
    }
    void send(checked.value, 'Crew member updated')
  }

  return (
    <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-6">
      <div className="grid gap-4 sm:grid-cols-[1fr_10rem]">
        <Field label="Name" autoComplete="off" {...field('name')} />
        <SelectField label="Role" {...field('role')}>
          {crewRoles.map((role) => (
            <option key={role}>{role}</option>
          ))}
        </SelectField>
      </div>
      <Group
        title="PIN protection"
        about="Optional. The Crew Dashboard asks for it when this name is chosen."
        remove={details.hasPin && 'Remove PIN'}
        busy={busy}
        onRemove={() => void send({ pin: null }, 'PIN removed')}
      >
        <PasswordField
          label={details.hasPin ? 'New PIN' : 'PIN'}
          hint={details.hasPin ? 'A PIN is set. Leave this empty to keep it.' : '4 to 8 digits'}
          inputMode="numeric"
          autoComplete="off"
          maxLength={8}
          {...field('pin')}
        />
      </Group>
      <Group
        title="Own login"
        about="Optional. For the Crew Login with a name and password of their own."
        remove={details.username !== null && 'Remove login'}
        busy={busy}
        onRemove={() => void send({ username: null }, 'Login removed')}
      >
        <Field
          label="Username"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...field('username')}
        />
        <PasswordField
          label={details.username === null ? 'Password' : 'New password'}
          hint={
            details.username === null ? 'At least 6 characters' : 'Leave this empty to keep the present one.'
          }
          autoComplete="new-password"
          {...field('password')}
        />
      </Group>
    </form>
  )
}

/** Only what differs: an untouched PIN or password stays what it is. */
function changesIn(values: Values, details: CrewDetails): Record<string, unknown> {
  const username = values.username.trim()
  return {
    ...(values.name !== details.name && { name: values.name }),
    ...(values.role !== details.role && { role: values.role }),
    ...(values.pin !== '' && { pin: values.pin }),
    ...(username !== (details.username ?? '') && { username: username === '' ? null : username }),
    ...(values.password !== '' && { password: values.password }),
  }
}

type GroupProps = {
  title: string
  about: string
  /** What the button to take it away is called, where there is something to take away. */
  remove: string | false
  busy: boolean
  onRemove: () => void
  children: ReactNode
}

function Group({ title, about, remove, busy, onRemove, children }: GroupProps): JSX.Element {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-4 border-t border-rule pt-4">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <h3 id={id} className="text-lg">
            {title}
          </h3>
          <p className="text-text-mute">{about}</p>
        </div>
        {remove && (
          <Button variant="danger" disabled={busy} onClick={onRemove}>
            {remove}
          </Button>
        )}
      </div>
      {children}
    </div>
  )
}
