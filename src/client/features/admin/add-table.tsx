import { type FormEvent, type JSX, useRef, useState } from 'react'
import { NewTable } from '#contract/floor.ts'
import { parse } from '#contract/parse.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useBusy } from './use-busy.ts'
import type { FloorActions } from './use-floor.ts'

export function AddTable({ addTable }: { addTable: FloorActions['addTable'] }): JSX.Element {
  const [tableNumber, setTableNumber] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, run] = useBusy()
  const { toast } = useToast()
  const input = useRef<HTMLInputElement>(null)

  function submit(event: FormEvent): void {
    event.preventDefault()
    const checked = parse(NewTable, { tableNumber })
    input.current?.focus()
    if (!checked.ok) {
      setProblem(checked.message)
      return toast({ title: 'Error', description: checked.message, destructive: true })
    }
    void run(async () => {
      if ((await addTable(checked.value.tableNumber)) === 'done') setTableNumber('')
    })
  }

  return (
    <form onSubmit={submit} noValidate className="flex items-start gap-2">
      <div className="w-40">
        <Field
          ref={input}
          label="Table Number"
          labelHidden
          placeholder="Table Number"
          autoComplete="off"
          value={tableNumber}
          error={problem}
          onChange={(event) => {
            setTableNumber(event.target.value)
            setProblem(null)
          }}
        />
      </div>
      <Button type="submit" pending={busy} pendingLabel="Adding…">
        Add Table
      </Button>
    </form>
  )
}
