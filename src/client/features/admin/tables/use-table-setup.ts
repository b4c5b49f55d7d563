import { type FormEvent, type RefObject, useRef, useState } from 'react'
import { type Table, TableSetup as Setup } from '#contract/floor.ts'
import { parse } from '#contract/parse.ts'
import { nameKey, TableNumber } from '#contract/primitives.ts'
import { useErrorToast } from '../../../ui/toast.tsx'
import type { FloorActions } from '../floor-actions.ts'
import { useTask } from '../../../lib/use-task.ts'

export type TableSetupProps = {
  tables: readonly Table[]
  setUp: FloorActions['setUp']
  onDone: () => void
}

type SetupKind = Setup['setupType']

/** Names collected one by one, then set up together. */
export type CustomNamesState = {
  names: readonly string[]
  setNames: (names: readonly string[]) => void
  typed: string
  onType: (typed: string) => void
  add: () => void
}

type TableSetupForm = {
  form: RefObject<HTMLFormElement | null>
  kind: SetupKind
  setKind: (kind: SetupKind) => void
  count: string
  setCount: (count: string) => void
  range: { start: string; end: string }
  setRange: (range: { start: string; end: string }) => void
  custom: CustomNamesState
  problem: string | null
  busy: boolean
  submit: (event: FormEvent) => void
}

export function useTableSetup({ tables, setUp, onDone }: TableSetupProps): TableSetupForm {
  const [kind, setKind] = useState<SetupKind>('count')
  const [count, setCount] = useState('10')
  const [range, setRange] = useState({ start: '1', end: '10' })
  const [names, setNames] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, run] = useTask()
  const showError = useErrorToast()
  const form = useRef<HTMLFormElement>(null)

  function complain(message: string): void {
    setProblem(message)
    const control = form.current?.querySelector('input')
    control?.focus()
    showError(message)
  }

  /** The names plus the one in the input; null if that one is invalid. */
  function withTyped(): readonly string[] | null {
    const checked = parse(TableNumber, typed)
    if (!checked.ok) complain(checked.message)
    else if (isNameTaken(checked.value, [...names, ...tables.map(({ tableNumber }) => tableNumber)]))
      complain('This table already exists')
    else return [...names, checked.value]
    return null
  }

  function add(): void {
    if (typed.trim() === '') return complain('Please add at least one table')
    const more = withTyped()
    if (!more) return
    setNames(more)
    setTyped('')
    setProblem(null)
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    // A name still in the input counts, too.
    const customTables = kind === 'custom' && typed.trim() !== '' ? withTyped() : names
    if (!customTables) return
    const wanted = {
      count: { setupType: 'count', tableCount: parseCount(count) },
      range: { setupType: 'range', start: parseCount(range.start), end: parseCount(range.end) },
      custom: { setupType: 'custom', customTables },
    }[kind]
    const checked = parse(Setup, wanted)
    if (!checked.ok) return complain(checked.message)
    setProblem(null)
    void run(async () => {
      if ((await setUp(checked.value)) === 'failed') return
      setNames([])
      setTyped('')
      onDone()
    })
  }

  return {
    form,
    kind,
    setKind(next) {
      setKind(next)
      setProblem(null)
    },
    count,
    setCount,
    range,
    setRange,
    custom: { names, setNames, typed, onType: setTyped, add },
    problem,
    busy,
    submit,
  }
}

const parseCount = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

const isNameTaken = (name: string, names: readonly string[]): boolean =>
  names.some((one) => nameKey(one) === nameKey(name))
