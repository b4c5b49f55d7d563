import ChevronDown from 'lucide-react/icons/chevron-down'
import { type ComponentProps, type JSX } from 'react'
import { controlClass, FieldFrame, type LabelProps } from './field.tsx'

type SelectFieldProps = Omit<ComponentProps<'select'>, 'className' | 'multiple' | 'size'> & LabelProps

/** The device's own select with `<option>` children: for short lists. */
export function SelectField({ label, labelHidden, hint, error, id, ...rest }: SelectFieldProps): JSX.Element {
  return (
    <FieldFrame {...{ label, labelHidden, hint, error, id }}>
      {(wiring) => (
        <div className="relative">
          <select {...rest} {...wiring} className={`${controlClass} appearance-none pe-12`} />
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute inset-e-4 top-1/2 -translate-y-1/2 text-text-mute"
          />
        </div>
      )}
    </FieldFrame>
  )
}
