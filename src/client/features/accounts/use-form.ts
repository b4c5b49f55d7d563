import { type FormEvent, type SubmitEvent, useState } from 'react'
import * as v from 'valibot'
import { useLocation } from 'wouter'
import { errorMessage } from '../../api/http.ts'
import { useResetSession } from '../../api/session.ts'
import { focusField } from '../../lib/focus-field.ts'
import { useTimeout } from '../../lib/use-timeout.ts'
import { useToast } from '../../ui/toast.tsx'

/** By the name of the field. */
export type FieldErrors = Partial<Record<string, string>>
type Values = Record<string, string>
/** A problem that no schema knows, such as two passwords that differ. */
export type FieldIssue = { field: string; title: string; message: string }

export type FormOptions<Schema extends v.GenericSchema, Sent> = {
  schema: Schema
  validate?: (typed: Values) => FieldIssue | null
  /** What was typed, checked and tidied by the schema. */
  send: (values: v.InferOutput<Schema>, typed: Values) => Promise<Sent>
  /** What to say; null where the form itself says it. */
  describeError: (problem: unknown) => { title: string; description: string } | null
  /** Keeps what the screens after it need. */
  onSuccess: (sent: Sent) => void
  nextPath: string
  delayMs: number
}

export type Form = {
  errors: FieldErrors
  /** `done`: it worked, and the next screen comes in a moment. */
  state: 'idle' | 'sending' | 'done'
  busy: boolean
  handlers: {
    noValidate: true
    onSubmit: (event: SubmitEvent<HTMLFormElement>) => void
    onInput: (event: FormEvent<HTMLFormElement>) => void
  }
}

/** A sign-in form: the first problem is said in a toast, and each one at its field. */
export function useForm<Schema extends v.GenericSchema, Sent>(options: FormOptions<Schema, Sent>): Form {
  const { toast, dismiss } = useToast()
  const later = useTimeout()
  const renewSession = useResetSession()
  const [, navigate] = useLocation()
  const [problems, setProblems] = useState<FieldErrors>({})
  const [state, setState] = useState<Form['state']>('idle')

  const complain = (title: string, description: string) => toast({ title, description, destructive: true })

  async function submit(form: HTMLFormElement): Promise<void> {
    const typed = readValues(form)
    const checked = v.safeParse(options.schema, typed)
    const objection = checked.success ? options.validate?.(typed) : null
    const found = objection ? { [objection.field]: objection.message } : toFieldErrors(checked.issues)
    setProblems(found)
    const [field, message] = Object.entries(found)[0] ?? []
    if (field !== undefined && message !== undefined) {
      complain(objection?.title ?? (typed[field]?.trim() ? 'Error' : 'Required'), message)
      return focusField(form, field)
    }
    if (!checked.success) return
    // What went wrong before must not stand on the next screen.
    dismiss()
    setState('sending')
    try {
      options.onSuccess(await options.send(checked.output, typed))
    } catch (error) {
      setState('idle')
      const said = options.describeError(error)
      if (said) complain(said.title, said.description)
      return
    }
    setState('done')
    // The next screen must not find the former session: it would send the person back here.
    const renewed = renewSession()
    later(options.delayMs, () => void renewed.then(() => navigate(options.nextPath)))
  }

  return {
    errors: problems,
    state,
    busy: state !== 'idle',
    handlers: {
      noValidate: true,
      onSubmit(event) {
        event.preventDefault()
        if (state === 'idle') void submit(event.currentTarget)
      },
      onInput({ target }) {
        if (target instanceof HTMLInputElement) setProblems(withoutField(problems, target.name))
      },
    },
  }
}

function readValues(form: HTMLFormElement): Values {
  const entries = [...new FormData(form)]
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** The first problem of each field, in the order of the fields. */
function toFieldErrors(issues: readonly v.BaseIssue<unknown>[] = []): FieldErrors {
  const problems: FieldErrors = {}
  for (const issue of issues) problems[v.getDotPath(issue) ?? ''] ??= issue.message
  return problems
}

const withoutField = (problems: FieldErrors, field: string): FieldErrors => ({
  ...problems,
  [field]: undefined,
})

/** The tick that keeps the simplest robots out. */
export function validateRobotCheck({ robot }: Values): FieldIssue | null {
  if (robot) return null
  return { field: 'robot', title: 'Verification Required', message: 'Please confirm you are not a robot' }
}

export function validatePasswordMatch(
  { password, confirmPassword }: Values,
  message: string,
): FieldIssue | null {
  if (password === confirmPassword) return null
  return { field: 'confirmPassword', title: 'Password Mismatch', message }
}

export const describeLoginError = (problem: unknown) => ({
  title: 'Login Failed',
  description: errorMessage(problem, 'Invalid username or password'),
})
