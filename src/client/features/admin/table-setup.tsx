import X from 'lucide-react/icons/x'
import { type FormEvent, type JSX, type ReactNode, useId, useRef, useState } from 'react'
import { type Table, TableSetup as Setup } from '#contract/floor.ts'
import { parse } from '#contract/parse.ts'
import { nameKey, TableNumber } from '#contract/primitives.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/field.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { FloorActions } from './use-floor.ts'
import { useBusy } from './use-busy.ts'

const kinds = [
  { value: 'count', label: 'By Count' },
  { value: 'range', label: 'By Range' },
  { value: 'custom', label: 'Custom' },
] as const
type Kind = (typeof kinds)[number]['value']

type TableSetupProps = {
  tables: readonly Table[]
  setUp: FloorActions['setUp']
  onDone: () => void
}

/** Adds the tables that are missing; those that exist stay. */
export function TableSetup({ tables, setUp, onDone }: TableSetupProps): JSX.Element {
  const [kind, setKind] = useState<Kind>('count')
  const [count, setCount] = useState('10')
  const [range, setRange] = useState({ start: '1', end: '10' })
  const [names, setNames] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, run] = useBusy()
  const { toast } = useToast()
  const form = useRef<HTMLFormElement>(null)

  function complain(message: string): void {
    setProblem(message)
    const control = form.current?.querySelector('input')
    control?.focus()
    toast({ title: 'Error', description: message, destructive: true })
  }

  /** The names with the one that is typed; null when that cannot be. */
  function withTyped(): readonly string[] | null {
    const checked = parse(TableNumber, typed)
    if (!checked.ok) complain(checked.message)
    else if (isTaken(checked.value, [...names, ...tables.map(({ tableNumber }) => tableNumber)]))
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
    // What is typed already is meant, too.
    const customTables = kind === 'custom' && typed.trim() !== '' ? withTyped() : names
    if (!customTables) return
    const wanted = {
      count: { setupType: 'count', tableCount: numberOf(count) },
      range: { setupType: 'range', start: numberOf(range.start), end: numberOf(range.end) },
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

  return (
    <Card title="Table Setup" level={3} description="Tables that exist already stay as they are.">
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Tabs
          label="Table Setup"
          tabs={kinds}
          value={kind}
          onChange={(next) => {
            setKind(next)
            setProblem(null)
          }}
        >
          <div className="flex max-w-xl flex-col gap-4 pt-1">
            {kind === 'count' && (
              <NumberField label="Number of Tables" value={count} onValue={setCount} error={problem} />
            )}
            {kind === 'range' && (
              <Pair problem={problem}>
                {(problemId) => (
                  <>
                    <NumberField
                      label="Start"
                      value={range.start}
                      onValue={(start) => setRange({ ...range, start })}
                      problemId={problemId}
                    />
                    <NumberField
                      label="End"
                      value={range.end}
                      onValue={(end) => setRange({ ...range, end })}
                      problemId={problemId}
                    />
                  </>
                )}
              </Pair>
            )}
            {kind === 'custom' && (
              <CustomTables {...{ names, setNames, typed, add, problem }} onType={setTyped} />
            )}
            <div>
              <Button type="submit" variant="primary" pending={busy} pendingLabel="Setting up…">
                Set Up Tables
              </Button>
            </div>
          </div>
        </Tabs>
      </form>
    </Card>
  )
}

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

type PairProps = { problem: string | null; children: (problemId: string | undefined) => ReactNode }

/** What is wrong with two numbers is wrong with both of them. */
function Pair({ problem, children }: PairProps): JSX.Element {
  const id = useId()
  return (
    <div>
      <div className="grid grid-cols-2 gap-4">{children(problem === null ? undefined : id)}</div>
      <p id={id} aria-live="polite" className="font-semibold text-late not-empty:mt-1">
        {problem}
      </p>
    </div>
  )
}

type NumberFieldProps = {
  label: string
  value: string
  onValue: (value: string) => void
  error?: string | null
  problemId?: string | undefined
}

function NumberField({ onValue, ...rest }: NumberFieldProps): JSX.Element {
  return (
    <Field
      {...rest}
      inputMode="numeric"
      autoComplete="off"
      maxLength={9}
      onChange={(event) => onValue(event.target.value)}
    />
  )
}

const isTaken = (name: string, names: readonly string[]): boolean =>
  names.some((one) => nameKey(one) === nameKey(name))

type CustomTablesProps = {
  names: readonly string[]
  setNames: (names: readonly string[]) => void
  typed: string
  onType: (typed: string) => void
  add: () => void
  problem: string | null
}

function CustomTables({ names, setNames, typed, onType, add, problem }: CustomTablesProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <div className="flex items-start gap-2">
        <Field
          ref={input}
          label="Table Name"
          placeholder="Patio 1"
          autoComplete="off"
          value={typed}
          error={problem}
          onChange={(event) => onType(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
            event.preventDefault()
            add()
          }}
        />
        <div className="pt-7">
          <Button
            onClick={() => {
              input.current?.focus()
              add()
            }}
          >
            Add
          </Button>
        </div>
      </div>
      {names.length > 0 && (
        <ul aria-label="Tables to set up" className="flex flex-wrap gap-2">
          {names.map((one) => (
            <li key={one} className="flex items-center rounded-full bg-plate-2 ps-4 font-semibold">
              <span className="wrap-anywhere">{one}</span>
              <IconButton
                label={`Take ${one} off the list`}
                onClick={() => {
                  setNames(names.filter((other) => other !== one))
                  input.current?.focus()
                }}
              >
                <X aria-hidden size={18} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
