import { type JSX, type ReactNode, useId } from 'react'
import { Field } from '../../../ui/form/field.tsx'

type FieldPairProps = { problem: string | null; children: (problemId: string | undefined) => ReactNode }

/** Two number inputs that share one error. */
export function FieldPair({ problem, children }: FieldPairProps): JSX.Element {
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

export function NumberField({ onValue, ...rest }: NumberFieldProps): JSX.Element {
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
