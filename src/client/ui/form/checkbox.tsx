import { type ComponentProps, type JSX, type ReactNode } from 'react'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'className' | 'type'> {
  label: ReactNode
}

export function Checkbox({ label, ...rest }: CheckboxProps): JSX.Element {
  return (
    <label className="flex min-h-(--control) w-fit items-center gap-3 py-2">
      <input {...rest} type="checkbox" />
      <span className="min-w-0 wrap-anywhere">{label}</span>
    </label>
  )
}
