import type { JSX } from 'react'
import { type CrewMember, Pin } from '#contract/crew/crew.ts'
import { parse } from '#contract/parse.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Drawer } from '../../../ui/dialogs/drawer.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { RadioList } from '../../../ui/form/radio-list.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import type { CrewMemberPicker } from './use-crew-member.ts'

type NameDrawerProps = { picker: CrewMemberPicker; open: boolean; onOpenChange: (open: boolean) => void }

export function NameDrawer({ picker, open, onOpenChange }: NameDrawerProps): JSX.Element {
  const { crew, member, choose } = picker
  return (
    <Drawer title={t('Select Your Name')} open={open} onOpenChange={onOpenChange} finalFocus={findNameButton}>
      <RadioList
        label={t('Select your name')}
        options={crew.map(toOption)}
        value={member?.id ?? null}
        noneFound={t('No names found')}
        onPick={(id) => {
          onOpenChange(false)
          choose(id)
        }}
      />
    </Drawer>
  )
}

/** The button of this width of the screen, which may have changed meanwhile. */
const findNameButton = (): HTMLElement | null =>
  [...document.querySelectorAll<HTMLElement>('[data-names]')].find(
    (each) => each.getClientRects().length > 0,
  ) ?? null

const toOption = ({ id, name, role }: CrewMember) => ({ value: id, label: name, detail: t(role) })

/** Asks for the PIN that protects the chosen name. */
export function PinDialog({ picker }: { picker: CrewMemberPicker }): JSX.Element {
  const { flow, crew, cancelPin } = picker
  const isOpen = flow.step === 'pin'
  const name = isOpen ? crew.find(({ id }) => id === flow.crewMemberId)?.name : undefined
  return (
    <Dialog
      tapFirst
      title={name ? t('PIN of {name}', { name }) : t('Enter your PIN')}
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) cancelPin()
      }}
    >
      {isOpen && <PinForm key={flow.crewMemberId} problem={flow.problem} picker={picker} />}
    </Dialog>
  )
}

function PinForm({ problem, picker }: { problem: string | null; picker: CrewMemberPicker }): JSX.Element {
  const form = useForm({
    initial: { pin: '' },
    parse: ({ pin }) => parse(Pin, pin),
    submit: picker.enterPin,
    inline: true,
  })
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <PasswordField
        label={t('PIN')}
        inputMode="numeric"
        autoComplete="off"
        autoFocus
        {...form.field('pin')}
        error={form.errors['pin'] ?? problem}
      />
      <Button type="submit" variant="primary" wide>
        {t('Continue')}
      </Button>
    </form>
  )
}
