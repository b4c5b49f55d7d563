import './search-field.css'
import type { JSX } from 'react'
import { controlClass } from './field.tsx'

type SearchFieldProps = {
  label: string
  placeholder?: string
  value: string
  onValue: (value: string) => void
  autoFocus?: boolean
}

/** Narrows a long list down. */
export function SearchField(props: SearchFieldProps): JSX.Element {
  const { label, placeholder = label, value, onValue, autoFocus = false } = props
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      autoComplete="off"
      autoFocus={autoFocus}
      value={value}
      onChange={({ target }) => onValue(target.value)}
      className={`${controlClass} max-w-md`}
    />
  )
}
