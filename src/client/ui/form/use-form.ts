import { type ChangeEvent, type RefObject, type SubmitEvent, useRef, useState } from 'react'
import { useErrorToast } from '../toast/toast.tsx'

type FormValues = Partial<Record<string, string>>
/** By the name of the field. */
export type FieldErrors = Partial<Record<string, string>>

/** What is wrong with a field; the title is the toast's. */
export type FieldIssue = { field: string; message: string; title?: string }

export type Parsed<Output> =
  | { ok: true; value: Output }
  | {
      ok: false
      message: string
      /** Without one, or with one that is not shown, it is the first field of the form. */
      field?: string | undefined
      title?: string
      /** Every wrong field, where more than the first one is to be marked. */
      errors?: FieldErrors
    }

type SubmitContext<Values> = {
  values: Values
  /** Starts over with these values, or the initial ones, but keeps what was typed since. */
  reset: (values?: Values) => void
  focus: (field: keyof Values & string) => void
}

type FormOptions<Values extends FormValues, Output> = {
  initial: Values
  parse: (values: Values) => Parsed<Output>
  submit: (value: Output, context: SubmitContext<Values>) => Promise<void> | void
  /** Reports why `submit` threw. Without it the error is thrown on. */
  onError?: (error: unknown, showIssue: (issue: FieldIssue) => void) => void
  /** Shows issues at their fields; only one with a title also gets a toast. */
  inline?: boolean
  /** Stays busy after success, for a form that is about to go away. */
  once?: boolean
}

/** To be spread on Field, PasswordField or SelectField. */
export type FieldProps = {
  name: string
  value: string
  error: string | undefined
  onChange: (event: { target: { value: string } }) => void
}

export type Form<Values extends FormValues = Record<string, string>> = {
  values: Values
  setValues: (values: Values) => void
  reset: (values?: Values) => void
  errors: FieldErrors
  showIssue: (issue: FieldIssue) => void
  state: 'idle' | 'sending' | 'done'
  busy: boolean
  field: (name: keyof Values & string) => FieldProps
  /** To be spread on the form. */
  props: {
    ref: RefObject<HTMLFormElement | null>
    noValidate: true
    onSubmit: (event: SubmitEvent<HTMLFormElement>) => void
    onChange: (event: ChangeEvent<HTMLFormElement>) => void
  }
}

/** A form of text values. The first wrong field takes the focus; while it is sent, another submit does nothing. */
export function useForm<Values extends FormValues, Output>(
  options: FormOptions<Values, Output>,
): Form<Values> {
  const { initial, parse, submit, onError, inline = false, once = false } = options
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [state, setState] = useState<Form['state']>('idle')
  /** Whether only a change of its own field clears an error, rather than any change. */
  const separate = useRef(false)
  const sending = useRef(false)
  const showError = useErrorToast()
  const form = useRef<HTMLFormElement>(null)

  function focus(field: string): void {
    const control = form.current?.elements.namedItem(field)
    if (control instanceof HTMLElement) control.focus()
  }

  function reset(next = initial): void {
    setValues(next)
    setErrors({})
  }

  function showIssue({ field, message, title }: FieldIssue, all?: FieldErrors): void {
    separate.current = all !== undefined
    setErrors(all ?? { [field]: message })
    focus(field)
    if (!inline || title !== undefined) showError(message, title)
  }

  async function send(value: Output, current: Values): Promise<void> {
    sending.current = true
    setState('sending')
    const resetSent = (next = initial): void => {
      setErrors({})
      setValues((now) => {
        const after = { ...next }
        for (const field in now) {
          const [sent = '', typed = ''] = [current[field], now[field]]
          // Where the field is emptied, what was typed behind what it held.
          if (typed !== sent) Object.assign(after, { [field]: next[field] ? typed : typed.replace(sent, '') })
        }
        return after
      })
    }
    try {
      await submit(value, { values: current, reset: resetSent, focus })
      sending.current = once
      setState(once ? 'done' : 'idle')
    } catch (error) {
      sending.current = false
      setState('idle')
      if (!onError) throw error
      onError(error, (issue) => showIssue(issue))
    }
  }

  return {
    values,
    setValues,
    reset,
    errors,
    showIssue: (issue) => showIssue(issue),
    state,
    busy: state !== 'idle',
    field: (name) => ({
      name,
      value: values[name] ?? '',
      error: errors[name],
      onChange: ({ target }) => setValues({ ...values, [name]: target.value }),
    }),
    props: {
      ref: form,
      noValidate: true,
      onSubmit(event) {
        event.preventDefault()
        // Events of a dialog also reach the form whose child it is in React.
        event.stopPropagation()
        if (sending.current) return
        // Some password managers fill fields in without an event.
        const current = { ...values, ...readValues(event.currentTarget) }
        setValues(current)
        const parsed = parse(current)
        if (parsed.ok) {
          setErrors({})
          return void send(parsed.value, current)
        }
        const [first = ''] = Object.keys(initial)
        const { field = first } = parsed
        const isShown = event.currentTarget.elements.namedItem(field) !== null
        showIssue({ ...parsed, field: isShown ? field : first }, parsed.errors)
      },
      onChange({ target }) {
        setErrors(separate.current ? { ...errors, [target.name]: undefined } : {})
      },
    },
  }
}

function readValues(form: HTMLFormElement): Record<string, string> {
  const entries = [...new FormData(form)]
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}
