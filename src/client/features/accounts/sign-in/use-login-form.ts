import * as v from 'valibot'
import { useLocation } from 'wouter'
import { errorMessage } from '../../../api/http.ts'
import { useResetSession } from '../../../api/session.ts'
import { useTimeout } from '../../../lib/hooks/use-timeout.ts'
import { type FieldErrors, type FieldIssue, type Form, useForm } from '../../../ui/form/use-form.ts'
import { useErrorToast, useToast } from '../../../ui/toast/toast.tsx'

type Values = Record<string, string>

export type LoginFormOptions<Schema extends v.GenericSchema, Result> = {
  schema: Schema
  /** An error that the schema cannot find, such as two passwords that differ. */
  validate?: (values: Values) => FieldIssue | null
  /** Called with the schema's output and the fields as typed. */
  send: (output: v.InferOutput<Schema>, values: Values) => Promise<Result>
  /** The toast's text; null where the form itself shows what to do. */
  describeError: (error: unknown) => { title: string; description: string } | null
  /** Stores what the next screen needs. */
  onSuccess: (result: Result) => void
  nextPath: string
  delayMs: number
}

/** A form that starts a new session: marks every invalid field, and continues to the next screen. */
export function useLoginForm<Schema extends v.GenericSchema, Result>(
  options: LoginFormOptions<Schema, Result>,
): Form {
  const { schema, validate, send, describeError, onSuccess, nextPath, delayMs } = options
  const { dismiss } = useToast()
  const showError = useErrorToast()
  const later = useTimeout()
  const resetSession = useResetSession()
  const [, navigate] = useLocation()
  const initial: Values = {}
  return useForm({
    initial,
    parse: (values) => parseAllFields(schema, values, validate),
    async submit(output, { values }) {
      // An old error must not stay on the next screen.
      dismiss()
      onSuccess(await send(output, values))
      // With the cached old session the next screen would redirect back here.
      const sessionReset = resetSession()
      later(delayMs, () => void sessionReset.then(() => navigate(nextPath)))
    },
    onError(error) {
      const toast = describeError(error)
      if (toast) showError(toast.description, toast.title)
    },
    once: true,
  })
}

function parseAllFields<Schema extends v.GenericSchema>(
  schema: Schema,
  values: Values,
  validate?: (values: Values) => FieldIssue | null,
) {
  const parsed = v.safeParse(schema, values)
  const issue = parsed.success ? validate?.(values) : null
  if (parsed.success && !issue) return { ok: true as const, value: parsed.output }
  const errors = issue ? { [issue.field]: issue.message } : toFieldErrors(parsed.issues)
  const [field = '', message = ''] = Object.entries(errors)[0] ?? []
  const title = issue?.title ?? (values[field]?.trim() ? 'Error' : 'Required')
  return { ok: false as const, field, message, title, errors }
}

/** The first error of each field, in the order of the fields. */
function toFieldErrors(issues: readonly v.BaseIssue<unknown>[] = []): FieldErrors {
  const errors: FieldErrors = {}
  for (const issue of issues) errors[v.getDotPath(issue) ?? ''] ??= issue.message
  return errors
}

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

export const describeLoginError = (error: unknown) => ({
  title: 'Login Failed',
  description: errorMessage(error, 'Invalid username or password'),
})
