import { type FormEvent, type JSX, useId, useState } from 'react'
import * as v from 'valibot'
import { type CrewMember, Pin } from '#contract/crew.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { RadioRows } from '../../ui/radio-rows.tsx'
import type { Picker } from './use-crew-member.ts'

/** Who works at this screen, and the tables they have today. */
export function CrewPicker({ picker, tables }: { picker: Picker; tables: readonly string[] }): JSX.Element {
  const { member } = picker
  const heading = useId()
  return (
    <Card title={member ? member.name : 'Select Your Name'} description={member?.role}>
      {member && tables.length > 0 && (
        <div>
          <h3 id={heading} className="mb-2 font-sans text-base font-semibold text-text-mute">
            My tables
          </h3>
          <ul aria-labelledby={heading} className="flex flex-wrap gap-2">
            {tables.map((table) => (
              <li key={table}>
                <Badge tone="outline">{table}</Badge>
              </li>
            ))}
          </ul>
        </div>
      )}
      <NameButton picker={picker} wide />
    </Card>
  )
}

/** Opens the list of names. */
export function NameButton({ picker, wide = false }: { picker: Picker; wide?: boolean }): JSX.Element {
  const { crew, loading, member, choose } = picker
  const [open, setOpen] = useState(false)
  const label = loading ? 'Loading crew members...' : member ? 'Change name' : 'Select your name'
  return (
    <>
      <Button wide={wide} disabled={loading} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Drawer title="Select Your Name" open={open} onOpenChange={setOpen}>
        <RadioRows
          label="Select your name"
          options={crew.map(optionOf)}
          value={member?.id ?? null}
          noneFound="No names found"
          onPick={(id) => {
            setOpen(false)
            choose(id)
          }}
        />
      </Drawer>
    </>
  )
}

const optionOf = ({ id, name, role }: CrewMember) => ({ value: id, label: name, detail: role })

/** Asks for the PIN that protects the chosen name. */
export function PinDialog({ picker }: { picker: Picker }): JSX.Element {
  const { flow, crew, cancelPin } = picker
  const asked = flow.step === 'pin'
  const name = asked ? crew.find(({ id }) => id === flow.crewMemberId)?.name : undefined
  return (
    <Dialog
      title={name ? `PIN of ${name}` : 'Enter your PIN'}
      open={asked}
      onOpenChange={(open) => {
        if (!open) cancelPin()
      }}
    >
      {asked && <PinForm key={flow.crewMemberId} problem={flow.problem} picker={picker} />}
    </Dialog>
  )
}

function PinForm({ problem, picker }: { problem: string | null; picker: Picker }): JSX.Element {
  const [pin, setPin] = useState('')
  const [mistake, setMistake] = useState<string | null>(null)

  function submit(event: FormEvent): void {
    event.preventDefault()
    const checked = v.safeParse(Pin, pin)
    if (checked.success) picker.enterPin(checked.output)
    else setMistake(checked.issues[0].message)
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <PasswordField
        label="PIN"
        inputMode="numeric"
        autoComplete="off"
        autoFocus
        value={pin}
        error={mistake ?? problem}
        onChange={(event) => {
          setPin(event.target.value)
          setMistake(null)
        }}
      />
      <Button type="submit" variant="primary" wide>
        Continue
      </Button>
    </form>
  )
}
