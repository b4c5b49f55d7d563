import { type ComponentProps, type JSX, type ReactNode, useId } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { classNames } from '../class-names.ts'

/** The look of a text control; 16 px at least, or phones zoom into it. */
export const controlClass =
  'block w-full min-h-(--control) rounded-control border border-rule-strong bg-plate px-4 py-2 text-text ' +
  'disabled:cursor-not-allowed disabled:opacity-55 aria-invalid:border-late aria-invalid:border-2'

export interface LabelProps {
  label: ReactNode
  /** The label is read aloud only, where a placeholder or a title shows it already. */
  labelHidden?: boolean | undefined
  hint?: ReactNode
  /** The message under the control; it also marks the control invalid. */
  error?: string | null | undefined
}

interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

type SharedProps = {
  /** The id of a message that stands elsewhere, for several controls together. */
  problemId?: string | undefined
}

/** Label, hint and error around one control, tied to it by id. */
export function FieldFrame(
  props: LabelProps &
    SharedProps & { id?: string | undefined; children: (wiring: ControlProps) => ReactNode },
): JSX.Element {
  const { label, labelHidden = false, hint, error, problemId, id, children } = props
  const ownId = useId()
  const controlId = id ?? ownId
  const [hintId, errorId] = [`${controlId}-hint`, `${controlId}-error`]
  return (
    <div className="w-full min-w-0">
      <label htmlFor={controlId} className={labelHidden ? 'sr-only' : 'mb-1 block font-semibold'}>
        {label}
      </label>
      {children({
        id: controlId,
        'aria-describedby': classNames(error && errorId, problemId, Boolean(hint) && hintId) || undefined,
        'aria-invalid': error || problemId ? true : undefined,
      })}
      <p id={errorId} aria-live="polite" className="font-semibold text-late not-empty:mt-1">
        {error && t(error)}
      </p>
      {hint && (
        <p id={hintId} className="mt-1 text-base wrap-anywhere text-text-mute">
          {hint}
        </p>
      )}
    </div>
  )
}

export type FieldProps = Omit<ComponentProps<'input'>, 'className'> & LabelProps & SharedProps

export function Field(props: FieldProps): JSX.Element {
  const { label, labelHidden, hint, error, problemId, id, ...rest } = props
  return (
    <FieldFrame {...{ label, labelHidden, hint, error, problemId, id }}>
      {(wiring) => <input {...rest} {...wiring} className={controlClass} />}
    </FieldFrame>
  )
}
