import { type JSX, type RefObject, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { useTask } from '../../lib/use-task.ts'
import { StepTitle } from './step-title.tsx'

type TableEntryValues = { restaurantId: string; tableNumber: string }
type TableEntryProps = {
  /** Null: the guest is asked for it. */
  restaurantId: string | null
  /** The initial values of the fields. */
  entered: TableEntryValues
  k: string | null
  problem: string | null
  takesFocus: boolean
  onContinue: (entered: TableEntryValues) => Promise<void>
  /** Undefined when the link already names the restaurant. */
  onBack: (() => void) | undefined
}

export function TableEntry(props: TableEntryProps): JSX.Element {
  const { restaurantId, entered, k, problem, takesFocus, onContinue, onBack } = props
  const form = useRef<HTMLFormElement>(null)
  const { filled, check } = useFilled(form)
  const [pending, run] = useTask()
  const number = useRef<HTMLInputElement>(null)
  const [focusOnMount] = useState(takesFocus)
  useEffect(() => {
    if (focusOnMount) number.current?.focus()
  }, [focusOnMount])

  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void run(() => onContinue(readValues(form.current)))
  }

  return (
    <main>
      <StepTitle takesFocus={false}>Welcome!</StepTitle>
      <p className="lead">Enter your information to get started</p>
      <form ref={form} className="low" action="/customer" onInput={check} onSubmit={submit}>
        {problem !== null && (
          <p role="alert" className="problem" id="problem">
            {problem}
          </p>
        )}
        {restaurantId === null ? (
          <label>
            Restaurant Name
            <input name="r" required defaultValue={entered.restaurantId} aria-describedby="restaurant-hint" />
            <small id="restaurant-hint">Use "default" if you're unsure</small>
          </label>
        ) : (
          <input type="hidden" name="r" value={restaurantId} />
        )}
        {k !== null && <input type="hidden" name="k" value={k} />}
        <label>
          Table Number
          <input
            ref={number}
            name="t"
            required
            autoFocus
            autoComplete="off"
            placeholder="Table Number or Name"
            defaultValue={entered.tableNumber}
            aria-describedby={problem === null ? undefined : 'problem'}
            aria-invalid={problem === null ? undefined : true}
          />
        </label>
        {onBack && (
          <button type="button" className="outline js-only" onClick={onBack}>
            Scan QR Code
          </button>
        )}
        <button className="primary" disabled={filled === false || pending} aria-busy={pending || undefined}>
          Continue
        </button>
      </form>
    </main>
  )
}

/** Null until the script runs: without it, a disabled button would stay disabled. */
function useFilled(form: RefObject<HTMLFormElement | null>): { filled: boolean | null; check: () => void } {
  const [filled, setFilled] = useState<boolean | null>(null)
  const check = (): void => {
    const { restaurantId, tableNumber } = readValues(form.current)
    setFilled(restaurantId !== '' && tableNumber !== '')
  }
  useEffect(check, [form])
  return { filled, check }
}

function readValues(form: HTMLFormElement | null): TableEntryValues {
  const fields = new FormData(form ?? undefined)
  const read = (name: string): string => {
    const value = fields.get(name)
    return typeof value === 'string' ? value.trim() : ''
  }
  return { restaurantId: read('r'), tableNumber: read('t') }
}
