import { type JSX, type ReactNode, useId } from 'react'
import { api } from '#contract/api.ts'
import { CrewChange, type CrewDetails, type CrewMember, crewRoles } from '#contract/crew.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiQuery, useApiCache } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import type { DialogState } from '../../../ui/confirm-dialog.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { type Form, useForm } from '../../../ui/form/use-form.ts'
import { UsernameField } from '../../../ui/form/username-field.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { useTask } from '../../../lib/use-task.ts'
import { useReportError } from '../use-report-error.ts'

type CrewMemberDialogProps = { dialog: DialogState<CrewMember> }

/** Name and role, the PIN for the Crew Dashboard and the login for /waiter-login. */
export function CrewMemberDialog({ dialog }: CrewMemberDialogProps): JSX.Element {
  const { subject: member, isOpen, close } = dialog
  const formId = useId()
  const [busy, run] = useTask()
  return (
    <Dialog
      title={member?.name ?? 'Crew member'}
      open={isOpen}
      onOpenChange={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" pending={busy} pendingLabel="Saving…">
            Save
          </Button>
        </>
      }
    >
      {member && <Details key={member.id} {...{ id: member.id, formId, busy, run }} onClose={close} />}
    </Dialog>
  )
}

type FormContext = {
  formId: string
  busy: boolean
  run: (task: () => Promise<void>) => Promise<void>
  onClose: () => void
}

function Details({ id, ...common }: FormContext & { id: string }): JSX.Element {
  const { data, error, isFetching } = useApiQuery(api.crew.details, { params: { id } })
  if (isFetching || (!data && !error)) return <Spinner />
  if (error) return <p role="alert">{error.message}</p>
  return <DetailsForm details={data} {...common} />
}

type Values = Record<'name' | 'role' | 'pin' | 'username' | 'password', string>

type DetailsFormProps = FormContext & { details: CrewDetails }

function DetailsForm({ details, formId, busy, run, onClose }: DetailsFormProps): JSX.Element {
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const { id } = details

  const save = async (body: CrewChange, message: string): Promise<void> =>
    run(async () => {
      try {
        await call(api.crew.change, { params: { id }, body })
        toast({ title: 'Success', description: message })
        onClose()
        await invalidate(api.crew.list)
      } catch (error) {
        reportError(error, 'Failed to update crew member')
      }
    })

  const form = useForm<Values, CrewChange>({
    initial: {
      name: details.name,
      role: details.role,
      pin: '',
      username: details.username ?? '',
      password: '',
    },
    parse: (values) =>
      values.password !== '' && values.username.trim() === ''
        ? { ok: false, field: 'username', message: 'Please enter a username' }
        : parse(CrewChange, changedFields(values, details)),
    submit: (body) => save(body, 'Crew member updated'),
  })

  const group = { form, details, busy }
  return (
    <form {...form.props} id={formId} className="flex flex-col gap-6">
      <div className="grid gap-4 sm:grid-cols-[1fr_10rem]">
        <Field label="Name" autoComplete="off" {...form.field('name')} />
        <SelectField label="Role" {...form.field('role')}>
          {crewRoles.map((role) => (
            <option key={role}>{role}</option>
          ))}
        </SelectField>
      </div>
      <p role="status" className="empty:hidden">
        {details.atHostStand > 0 &&
          form.values.role !== 'Host' &&
          `${details.name} will be taken off the host stand from today on.`}
      </p>
      <PinGroup {...group} onRemove={() => void save({ pin: null }, 'PIN removed')} />
      <LoginGroup {...group} onRemove={() => void save({ username: null }, 'Login removed')} />
    </form>
  )
}

type DetailsGroupProps = { form: Form<Values>; details: CrewDetails; busy: boolean; onRemove: () => void }

function PinGroup({ form, details: { hasPin }, busy, onRemove }: DetailsGroupProps): JSX.Element {
  return (
    <Group
      title="PIN protection"
      description="Optional. The Crew Dashboard asks for it when this name is chosen."
      removeLabel={hasPin && 'Remove PIN'}
      busy={busy}
      onRemove={onRemove}
    >
      <PasswordField
        label={hasPin ? 'New PIN' : 'PIN'}
        hint={hasPin ? 'A PIN is set. Leave this empty to keep it.' : '4 to 8 digits'}
        inputMode="numeric"
        autoComplete="off"
        maxLength={8}
        {...form.field('pin')}
      />
    </Group>
  )
}

function LoginGroup({ form, details: { username }, busy, onRemove }: DetailsGroupProps): JSX.Element {
  const isNew = username === null
  return (
    <Group
      title="Own login"
      description="Optional. For the Crew Login with a name and password of their own."
      removeLabel={!isNew && 'Remove login'}
      busy={busy}
      onRemove={onRemove}
    >
      <UsernameField {...form.field('username')} />
      <PasswordField
        label={isNew ? 'Password' : 'New password'}
        strength
        hint={isNew ? 'At least 6 characters' : 'Leave this empty to keep the present one.'}
        autoComplete="new-password"
        {...form.field('password')}
      />
    </Group>
  )
}

/** An empty PIN or password stays as it is. */
function changedFields(values: Values, details: CrewDetails): Record<string, unknown> {
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
  description: string
  /** The label of the Remove button, where there is something to remove. */
  removeLabel: string | false
  busy: boolean
  onRemove: () => void
  children: ReactNode
}

function Group({ title, description, removeLabel, busy, onRemove, children }: GroupProps): JSX.Element {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-4 border-t border-rule pt-4">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <h3 id={id} className="text-lg">
            {title}
          </h3>
          <p className="text-text-mute">{description}</p>
        </div>
        {removeLabel && (
          <Button variant="danger" disabled={busy} onClick={onRemove}>
            {removeLabel}
          </Button>
        )}
      </div>
      {children}
    </div>
  )
}
