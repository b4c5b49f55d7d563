import type { JSX } from 'react'
import { crewRoles, NewCrewMember } from '#contract/crew.ts'
import { parse } from '#contract/parse.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import type { FloorActions } from '../floor-actions.ts'

const initial: Record<'name' | 'role', string> = { name: '', role: crewRoles[0] }

export function AddCrewMember({ addCrew }: { addCrew: FloorActions['addCrew'] }): JSX.Element {
  const form = useForm({
    initial,
    parse: (values) => parse(NewCrewMember, values),
    async submit(member, { values, reset, focus }) {
      focus('name')
      // The next one is likely to have the same role, so it stays.
      if ((await addCrew(member)) === 'done') reset({ ...values, name: '' })
    },
  })
  return (
    <form {...form.props} className="grid items-start gap-3 sm:grid-cols-[minmax(0,20rem)_10rem_auto]">
      <Field label="Crew Member Name" autoComplete="off" {...form.field('name')} />
      <SelectField label="Role" {...form.field('role')}>
        {crewRoles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </SelectField>
      <div className="sm:pt-7">
        <Button type="submit" pending={form.busy} pendingLabel="Adding…">
          Add Crew Member
        </Button>
      </div>
    </form>
  )
}
