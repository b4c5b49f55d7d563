import { type FormEvent, type JSX, useState } from 'react'
import * as v from 'valibot'
import { type CrewMember, Pin } from '#contract/crew.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import { RadioList } from '../../../ui/form/radio-list.tsx'
import type { CrewMemberPicker } from './use-crew-member.ts'

type NameDrawerProps = { picker: CrewMemberPicker; open: boolean; onOpenChange: (open: boolean) => void }

export function NameDrawer({ picker, open, onOpenChange }: NameDrawerProps): JSX.Element {
  const { crew, member, choose } = picker
  return (
    <Drawer title="Select Your Name" open={open} onOpenChange={onOpenChange}>
      <RadioList
        label="Select your name"
        options={crew.map(toOption)}
        value={member?.id ?? null}
        noneFound="No names found"
        onPick={(id) => {
          onOpenChange(false)
          choose(id)
        }}
      />
    </Drawer>
  )
}

const toOption = ({ id, name, role }: CrewMember) => ({ value: id, label: name, detail: role })

/** Asks for the PIN that protects the chosen name. */
export function PinDialog({ picker }: { picker: CrewMemberPicker }): JSX.Element {
  const { flow, crew, cancelPin } = picker
  const isOpen = flow.step === 'pin'
  const name = isOpen ? crew.find(({ id }) => id === flow.crewMemberId)?.name : undefined
  return (
    <Dialog
      title={name ? `PIN of ${name}` : 'Enter your PIN'}
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
  const [pin, setPin] = useState('')
  const [error, setError] = useState<string | null>(null)

  function submit(event: FormEvent): void {
    event.preventDefault()
    const checked = v.safeParse(Pin, pin)
    if (checked.success) picker.enterPin(checked.output)
    else setError(checked.issues[0].message)
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <PasswordField
        label="PIN"
        inputMode="numeric"
        autoComplete="off"
        autoFocus
        value={pin}
        error={error ?? problem}
        onChange={(event) => {
          setPin(event.target.value)
          setError(null)
        }}
      />
      <Button type="submit" variant="primary" wide>
        Continue
      </Button>
    </form>
  )
}
