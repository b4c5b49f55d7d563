import { type JSX, type ReactNode, useId, useState } from 'react'
import { passwordMinLength } from '#contract/accounts/passwords.ts'
import { api } from '#contract/api.ts'
import { CrewChange, type CrewDetails, type CrewMember } from '#contract/crew/crew.ts'
import type { FloorPlan } from '#contract/floor/sections.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache, useApiQuery, useFreshApiQuery } from '../../../api/queries.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import type { DialogState } from '../../../ui/dialogs/use-dialog.ts'
import { Field } from '../../../ui/form/field.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { type Form, useForm } from '../../../ui/form/use-form.ts'
import { UsernameField } from '../../../ui/form/username-field.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { findMemberByName } from '../assignments/crew-suggestions.ts'
import { useReportError } from '../use-report-error.ts'
import { RoleField } from './role-field.tsx'

/** Name, role and section, the PIN for the Crew Dashboard and the login for /waiter-login. */
export function CrewMemberDialog({ dialog }: { dialog: DialogState<CrewMember> }): JSX.Element {
  const { subject: member, isOpen, close } = dialog
  const formId = useId()
  const [busy, run] = useTask()
  return (
    <Dialog
      title={member?.name ?? t('Crew member')}
      open={isOpen}
      onOpenChange={close}
      actions={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" pending={busy} pendingLabel={t('Saving…')}>
            {t('Save')}
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
  const { data: plan, isFetchedAfterMount: planAnswered } = useFreshApiQuery(api.tables.plan, {})
  // After a refusal the data is loaded again. Neither that nor its failure may discard what was typed.
  const [wasShown, setWasShown] = useState(false)
  const isLoaded = !isFetching && planAnswered
  const isShown = wasShown || (isLoaded && !error)
  if (isShown && !wasShown) setWasShown(true)
  if (isShown && data) return <DetailsForm details={data} plan={plan} {...common} />
  return isLoaded && error ? <p role="alert">{t(error.message)}</p> : <Spinner />
}

type Values = Record<'name' | 'role' | 'section' | 'pin' | 'username' | 'password', string>

type DetailsFormProps = FormContext & {
  details: CrewDetails
  /** Missing if it could not be loaded. */
  plan: FloorPlan | undefined
}

function DetailsForm(props: DetailsFormProps): JSX.Element {
  const { details, formId, busy, run, onClose } = props
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const { data: crew = [] } = useApiQuery(api.crew.list, {})
  // As of the opening: a section that a colleague changes meanwhile is not changed back.
  const [plan] = useState(props.plan)
  const { id } = details
  const section = plan?.members.find(({ crewMemberId }) => crewMemberId === id)?.sectionId ?? ''

  const save = async (body: CrewChange, message: string): Promise<void> =>
    run(async () => {
      try {
        await call(api.crew.change, { params: { id }, body })
        toast({ title: t('Success'), description: t(message) })
        onClose()
        await invalidate(api.crew.list, api.tables.plan)
      } catch (error) {
        reportError(error, 'Failed to update crew member')
      }
    })

  const form = useForm<Values, CrewChange>({
    initial: {
      name: details.name,
      role: details.role,
      section,
      pin: '',
      username: details.username ?? '',
      password: '',
    },
    parse: (values) =>
      values.password !== '' && values.username.trim() === ''
        ? { ok: false, field: 'username', message: 'Please enter a username' }
        : parse(CrewChange, changedFields(values, { ...details, section })),
    submit: (body) => save(body, 'Crew member updated'),
  })

  const others = crew.filter((member) => member.id !== id)
  const namesake = form.values.name === details.name ? undefined : findMemberByName(form.values.name, others)
  const group = { form, details, busy }
  return (
    <form {...form.props} id={formId} className="flex flex-col gap-6">
      <div className="grid gap-4 sm:grid-cols-[1fr_10rem]">
        <Field
          label={t('Name')}
          hint={
            namesake &&
            t('{name} is in the crew already. Guests and colleagues cannot tell them apart by name.', {
              name: namesake.name,
            })
          }
          autoComplete="off"
          {...form.field('name')}
        />
        <RoleField {...form.field('role')} />
      </div>
      {plan && plan.sections.length > 0 && (
        <SelectField
          label={t('Section')}
          hint={t('Optional. Colleagues of the same section are called before others.')}
          {...form.field('section')}
        >
          <option value="">{t('No section of their own')}</option>
          {plan.sections.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </SelectField>
      )}
      <p role="status" className="empty:hidden">
        {details.atHostStand > 0 &&
          form.values.role !== 'Host' &&
          t('{name} will be taken off the host stand from today on.', { name: details.name })}
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
      title={t('PIN protection')}
      description={t('Optional. The Crew Dashboard asks for it when this name is chosen.')}
      removeLabel={hasPin && t('Remove PIN')}
      busy={busy}
      onRemove={onRemove}
    >
      <PasswordField
        label={t(hasPin ? 'New PIN' : 'PIN')}
        hint={t(hasPin ? 'A PIN is set. Leave this empty to keep it.' : '4 to 8 digits')}
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
      title={t('Own login')}
      description={t('Optional. For the Crew Login with a name and password of their own.')}
      removeLabel={!isNew && t('Remove login')}
      busy={busy}
      onRemove={onRemove}
    >
      <UsernameField {...form.field('username')} />
      <PasswordField
        label={t(isNew ? 'Password' : 'New password')}
        strength
        hint={
          isNew
            ? t('At least {count} characters', { count: passwordMinLength })
            : t('Leave this empty to keep the present one.')
        }
        autoComplete="new-password"
        {...form.field('password')}
      />
    </Group>
  )
}

/** An empty PIN or password stays as it is. */
function changedFields(values: Values, details: CrewDetails & { section: string }): Record<string, unknown> {
  const username = values.username.trim()
  return {
    ...(values.name !== details.name && { name: values.name }),
    ...(values.role !== details.role && { role: values.role }),
    ...(values.section !== details.section && { sectionId: values.section || null }),
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
