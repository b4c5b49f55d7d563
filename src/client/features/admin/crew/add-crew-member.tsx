import { type FormEvent, type JSX, useState } from 'react'
import { crewRoles, NewCrewMember } from '#contract/crew.ts'
import { parse } from '#contract/parse.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useTask } from '../../../lib/use-task.ts'
import { useFields } from '../use-fields.ts'
import type { FloorActions } from '../floor-actions.ts'

const emptyForm = { name: '' }

export function AddCrewMember({ addCrew }: { addCrew: FloorActions['addCrew'] }): JSX.Element {
  const {
    form,
    values: typed,
    setValues: fill,
    focusField: focus,
    field,
    setError: complain,
  } = useFields(emptyForm)
  // The next one is likely to have the same role, so it stays.
  const [role, setRole] = useState<string>(crewRoles[0])
  const [busy, run] = useTask()

  function submit(event: FormEvent): void {
    event.preventDefault()
    const checked = parse(NewCrewMember, { ...typed, role })
    if (!checked.ok) return complain('name', 'Error', checked.message)
    focus('name')
    void run(async () => {
      if ((await addCrew(checked.value)) === 'done') fill(emptyForm)
    })
  }

  return (
    <form
      ref={form}
      onSubmit={submit}
      noValidate
      className="grid items-start gap-3 sm:grid-cols-[minmax(0,20rem)_10rem_auto]"
    >
      <Field label="Crew Member Name" autoComplete="off" {...field('name')} />
      <SelectField label="Role" value={role} onChange={({ target }) => setRole(target.value)}>
        {crewRoles.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </SelectField>
      <div className="sm:pt-7">
        <Button type="submit" pending={busy} pendingLabel="Adding…">
          Add Crew Member
        </Button>
      </div>
    </form>
  )
}
