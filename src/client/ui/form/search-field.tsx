import type { JSX } from 'react'
import { controlClass } from './field.tsx'

type SearchFieldProps = {
  label: string
  placeholder?: string
  value: string
  onValue: (value: string) => void
}

/** Narrows a long list down. */
export function SearchField({ label, placeholder = label, value, onValue }: SearchFieldProps): JSX.Element {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      autoComplete="off"
      value={value}
      onChange={({ target }) => onValue(target.value)}
      className={`${controlClass} max-w-md`}
    />
  )
}
