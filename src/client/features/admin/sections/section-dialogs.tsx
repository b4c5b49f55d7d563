import { type JSX, useId } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import { NewSection, type Section } from '#contract/floor/sections.ts'
import { parse } from '#contract/parse.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import type { DialogState } from '../../../ui/dialogs/use-dialog.ts'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import type { FloorActions } from '../floor-actions.ts'

type AssignDialogProps = {
  dialog: DialogState<Section>
  crew: readonly CrewMember[]
  /** What is assigned, and for which day. */
  description: string
  /** Who has the section that day, or as their own. */
  suggested: string
  onAssign: (section: Section, member: CrewMember | null) => Promise<void>
}

export function AssignSectionDialog({ dialog, ...rest }: AssignDialogProps): JSX.Element {
  const { subject: section, isOpen, close } = dialog
  const [busy, run] = useTask()
  const id = useId()
  return (
    <Dialog
      title={t('Assign {name}', { name: section?.name ?? '' })}
      description={rest.description}
      open={isOpen}
      onOpenChange={close}
      actions={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button type="submit" form={id} variant="primary" pending={busy}>
            {t('Assign')}
          </Button>
        </>
      }
    >
      {section && (
        <AssignForm
          key={section.id}
          id={id}
          {...rest}
          onChoose={(member) =>
            void run(async () => {
              await rest.onAssign(section, member)
              close()
            })
          }
        />
      )}
    </Dialog>
  )
}

type AssignFormProps = Pick<AssignDialogProps, 'crew' | 'suggested'> & {
  id: string
  onChoose: (member: CrewMember | null) => void
}

function AssignForm({ id, crew, suggested, onChoose }: AssignFormProps): JSX.Element {
  const form = useForm({
    initial: { member: suggested },
    parse: ({ member }) => ({ ok: true, value: crew.find(({ id }) => id === member) ?? null }),
    submit: onChoose,
  })
  return (
    <form {...form.props} id={id}>
      <SelectField label={t('Crew Member')} {...form.field('member')}>
        <option value="">{t('Nobody')}</option>
        {crew.map(({ id: memberId, name, role }) => (
          <option key={memberId} value={memberId}>{`${name} (${t(role)})`}</option>
        ))}
      </SelectField>
    </form>
  )
}

type RenameDialogProps = { dialog: DialogState<Section>; renameSection: FloorActions['renameSection'] }

export function RenameSectionDialog({ dialog, renameSection }: RenameDialogProps): JSX.Element {
  const { subject: section, isOpen, close } = dialog
  const id = useId()
  return (
    <Dialog
      title={t('Rename {name}', { name: section?.name ?? '' })}
      open={isOpen}
      onOpenChange={close}
      actions={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button type="submit" form={id} variant="primary">
            {t('Save')}
          </Button>
        </>
      }
    >
      {section && (
        <RenameForm
          key={`${section.id} ${section.name}`}
          id={id}
          name={section.name}
          onSave={async (name) => {
            if ((await renameSection(section, name)) === 'done') close()
          }}
        />
      )}
    </Dialog>
  )
}

type RenameFormProps = { id: string; name: string; onSave: (name: string) => Promise<void> }

function RenameForm({ id, name, onSave }: RenameFormProps): JSX.Element {
  const form = useForm({
    initial: { name },
    parse: (values) => parse(NewSection, values),
    submit: (section) => onSave(section.name),
  })
  return (
    <form {...form.props} id={id}>
      <Field label={t('Section Name')} autoComplete="off" {...form.field('name')} />
    </form>
  )
}
