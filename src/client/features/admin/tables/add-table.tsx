import type { JSX } from 'react'
import { NewTable } from '#contract/floor.ts'
import { parse } from '#contract/parse.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import type { FloorActions } from '../floor-actions.ts'

export function AddTable({ addTable }: { addTable: FloorActions['addTable'] }): JSX.Element {
  const form = useForm({
    initial: { tableNumber: '' },
    parse: (values) => parse(NewTable, values),
    async submit({ tableNumber }, { reset, focus }) {
      focus('tableNumber')
      if ((await addTable(tableNumber)) === 'done') reset()
    },
  })
  return (
    <form {...form.props} className="flex items-start gap-2">
      <div className="w-40">
        <Field
          label="Table Number"
          labelHidden
          placeholder="Table Number"
          autoComplete="off"
          {...form.field('tableNumber')}
        />
      </div>
      <Button type="submit" pending={form.busy} pendingLabel="Adding…">
        Add Table
      </Button>
    </form>
  )
}
