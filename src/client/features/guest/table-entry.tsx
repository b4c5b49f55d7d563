import { type JSX, type SubmitEvent, useEffect, useRef, useState } from 'react'
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
  // Null until the script runs: without it, a disabled button would stay disabled.
  const [filled, setFilled] = useState<boolean | null>(null)
  const [pending, setPending] = useState(false)

  const read = (): TableEntryValues => {
    const fields = new FormData(form.current ?? undefined)
    const field = (name: string): string => {
      const value = fields.get(name)
      return typeof value === 'string' ? value.trim() : ''
    }
    return { restaurantId: field('r'), tableNumber: field('t') }
  }
  const check = (): void => {
    const now = read()
    setFilled(now.restaurantId !== '' && now.tableNumber !== '')
  }
  useEffect(check, [])
  const number = useRef<HTMLInputElement>(null)
  const [focusOnMount] = useState(takesFocus)
  useEffect(() => {
    if (focusOnMount) number.current?.focus()
  }, [focusOnMount])

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    setPending(true)
    await onContinue(read())
    setPending(false)
  }

  return (
    <main>
      <StepTitle takesFocus={false}>Welcome!</StepTitle>
      <p className="lead">Enter your information to get started</p>
      <form
        ref={form}
        className="low"
        action="/customer"
        onInput={check}
        onSubmit={(event) => void submit(event)}
      >
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
