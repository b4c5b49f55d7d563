import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { type JSX, useId, useState } from 'react'
import { crewRoles } from '#contract/crew/crew.ts'
import { type NeedIcon as Icon, needIcons } from '#contract/requests/need-icons.ts'
import { isOwnNeed, maxChoices, type Need } from '#contract/requests/needs.ts'
import { fieldOf, languageOptions, standInFor } from '../../../lib/texts/local-texts.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import type { DialogState } from '../../../ui/dialogs/use-dialog.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { type Form, useForm } from '../../../ui/form/use-form.ts'
import { NeedIcon } from '../../../ui/requests/need-icon.tsx'
import { type NeedForm as NeedFormValues, needName, newNeedId, parseNeed, toForm } from './needs-draft.ts'

type NeedDialogProps = {
  dialog: DialogState<Need>
  /** Not in the list yet. */
  isNew: boolean
  language: string
  onLanguage: (language: string) => void
  onDone: (need: Need) => void
  onRemove: (need: Need) => void
  /** Where the focus goes once its row is gone. */
  finalFocus: () => HTMLElement | null
}

/** One need: its names and choices, and all else of the restaurant's own ones. The list is saved with its own button. */
export function NeedDialog(props: NeedDialogProps): JSX.Element {
  const { dialog, isNew, language, onLanguage, onDone, onRemove, finalFocus } = props
  const { subject: need, isOpen, close } = dialog
  const id = useId()
  return (
    <Dialog
      title={isNew || !need ? t('Add a Need') : t('Change {name}', { name: needName(need, language) })}
      open={isOpen}
      onOpenChange={close}
      finalFocus={finalFocus}
      actions={
        <>
          {need && isOwnNeed(need) && !isNew && (
            <span className="me-auto">
              <Button
                variant="danger"
                onClick={() => {
                  onRemove(need)
                  close()
                }}
              >
                {t('Remove')}
              </Button>
            </span>
          )}
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button type="submit" form={id} variant="primary">
            {t('Done')}
          </Button>
        </>
      }
    >
      {need && isOpen && (
        <NeedForm
          {...{ id, need, language, onLanguage }}
          onDone={(changed) => {
            onDone(changed)
            close()
          }}
        />
      )}
    </Dialog>
  )
}

type NeedFormProps = Pick<NeedDialogProps, 'language' | 'onLanguage' | 'onDone'> & { id: string; need: Need }

function NeedForm({ id, need, language, onLanguage, onDone }: NeedFormProps): JSX.Element {
  const isOwn = isOwnNeed(need)
  const [choices, setChoices] = useState(need.choices.map((choice) => choice.id))
  const form = useForm<NeedFormValues, Need>({
    initial: toForm(need),
    inline: true,
    parse: (values) => parseNeed(values, { need, choices, language }),
    submit: onDone,
  })
  const set = (name: string, value: string): void => form.setValues({ ...form.values, [name]: value })
  return (
    <form {...form.props} id={id} className="flex flex-col gap-4">
      <SelectField
        label={t('Language of the names')}
        hint={t('Where a name is missing, people read the one that was entered first.')}
        value={language}
        onChange={({ target }) => onLanguage(target.value)}
      >
        {languageOptions().map(({ tag, name }) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </SelectField>
      <Field
        key={language}
        label={t('Name')}
        lang={language}
        dir="auto"
        autoComplete="off"
        placeholder={standInFor(need.name, language) ?? (isOwn ? undefined : needName(need, language))}
        {...form.field(fieldOf('name', language))}
      />
      {isOwn && (
        <>
          <IconPicker value={form.values['icon']} onChange={(icon) => set('icon', icon)} />
          <Field
            label={t('Target time in seconds')}
            hint={t('The longest a guest should have to wait.')}
            inputMode="numeric"
            autoComplete="off"
            {...form.field('target')}
          />
          <SelectField label={t('Who is called first')} {...form.field('calls')}>
            <option value="table">{t('The crew of the table')}</option>
            {crewRoles.map((role) => (
              <option key={role} value={role}>
                {t(role)}
              </option>
            ))}
            <option value="all">{t('All crew')}</option>
          </SelectField>
        </>
      )}
      <Choices
        {...{ form, need, language }}
        ids={choices}
        onAdd={() => setChoices([...choices, newNeedId()])}
        onRemove={(removed) => setChoices(choices.filter((choice) => choice !== removed))}
      />
      {(isOwn || need.id === 'other') && (
        <div>
          <Checkbox
            label={t('Guests may add a short note')}
            name="note"
            checked={form.values['note'] === 'on'}
            aria-describedby={`${id}-note`}
            onChange={({ target }) => set('note', target.checked ? 'on' : '')}
          />
          <p id={`${id}-note`} className="text-text-mute">
            {t(
              'Such as an allergy, in at most 140 characters. The crew reads it on the ticket. It is kept for 24 hours, and is never in notifications, figures or exports.',
            )}
          </p>
        </div>
      )}
    </form>
  )
}

const iconNames: Record<Icon, string> = {
  allergy: 'Allergy',
  baby: 'Child',
  bill: 'Payment',
  blanket: 'Warmth',
  bread: 'Bread',
  charger: 'Charger',
  cleaning: 'Cleaning',
  coat: 'Coat check',
  coffee: 'Coffee',
  cutlery: 'Cutlery',
  dessert: 'Dessert',
  parking: 'Parking',
  photo: 'Photo',
  star: 'Star',
  taxi: 'Taxi',
  water: 'Water',
}

function IconPicker({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (icon: Icon) => void
}): JSX.Element {
  return (
    <fieldset>
      <legend className="mb-1 font-semibold">{t('Icon')}</legend>
      <div className="flex flex-wrap gap-2">
        {needIcons.map((icon) => (
          <label key={icon} title={t(iconNames[icon])} className="need-icon">
            <input
              type="radio"
              name="icon"
              value={icon}
              aria-label={t(iconNames[icon])}
              checked={icon === value}
              onChange={() => onChange(icon)}
            />
            <NeedIcon icon={icon} />
          </label>
        ))}
      </div>
    </fieldset>
  )
}

type ChoicesProps = {
  form: Form<NeedFormValues>
  need: Need
  language: string
  ids: readonly string[]
  onAdd: () => void
  onRemove: (id: string) => void
}

function Choices({ form, need, language, ids, onAdd, onRemove }: ChoicesProps): JSX.Element {
  const label = (index: number): string => t('Choice {number}', { number: index + 1 })
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="font-semibold">{t('Quick choices')}</legend>
      <p className="text-text-mute">{t('What the guest can choose with it, such as cash or card.')}</p>
      {ids.map((id, index) => (
        <div key={id} className="flex items-start gap-1">
          <Field
            label={label(index)}
            labelHidden
            lang={language}
            dir="auto"
            autoComplete="off"
            placeholder={
              standInFor(need.choices.find((choice) => choice.id === id)?.name, language) ?? label(index)
            }
            {...form.field(fieldOf(id, language))}
          />
          <IconButton label={t('Remove choice {number}', { number: index + 1 })} onClick={() => onRemove(id)}>
            <X aria-hidden size={20} />
          </IconButton>
        </div>
      ))}
      {ids.length < maxChoices && (
        <div>
          <Button icon={<Plus aria-hidden size={20} />} onClick={onAdd}>
            {t('Add a Choice')}
          </Button>
        </div>
      )}
    </fieldset>
  )
}
