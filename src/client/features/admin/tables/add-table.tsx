import type { FormEvent, JSX } from 'react'
import { NewTable } from '#contract/floor.ts'
import { parse } from '#contract/parse.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { useTask } from '../../../lib/use-task.ts'
import { useFields } from '../use-fields.ts'
import type { FloorActions } from '../floor-actions.ts'

const emptyForm = { tableNumber: '' }

export function AddTable({ addTable }: { addTable: FloorActions['addTable'] }): JSX.Element {
  const {
    form,
    values: typed,
    setValues: fill,
    focusField: focus,
    field,
    setError: complain,
  } = useFields(emptyForm)
  const [busy, run] = useTask()

  function submit(event: FormEvent): void {
    event.preventDefault()
    const checked = parse(NewTable, typed)
    if (!checked.ok) return complain('tableNumber', 'Error', checked.message)
    focus('tableNumber')
    void run(async () => {
      if ((await addTable(checked.value.tableNumber)) === 'done') fill(emptyForm)
    })
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex items-start gap-2">
      <div className="w-40">
        <Field
          label="Table Number"
          labelHidden
          placeholder="Table Number"
          autoComplete="off"
          {...field('tableNumber')}
        />
      </div>
      <Button type="submit" pending={busy} pendingLabel="Adding…">
        Add Table
      </Button>
    </form>
  )
}
