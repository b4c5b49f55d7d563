import { type JSX, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { controlClass } from './field.tsx'
import { normalizeForSearch } from '../../lib/format.ts'

interface RadioListProps {
  /** Names the group. */
  label: string
  options: readonly { value: string; label: string; detail?: ReactNode }[]
  value: string | null
  /** A tap, Space or Enter. Arrow keys only move the mark, so they can pass by other rows. */
  onPick: (value: string) => void
  filterLabel?: string
  noneFound?: string
}

/** Up to this many rows need no filter. */
const maxWithoutFilter = 7

/** One of many, as rows large enough for a thumb, with a box that narrows a long list. */
export function RadioList(props: RadioListProps): JSX.Element {
  const { label, options, value, onPick, filterLabel = 'Filter names', noneFound = 'No names found' } = props
  const [filter, setFilter] = useState('')
  const [draft, setDraft] = useState<string | null>(null)
  const passingBy = useRef(false)
  const rows = useRef<HTMLDivElement>(null)
  const group = useId()
  const hasFilter = options.length > maxWithoutFilter || filter !== ''
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => {
    /** A name that is typed anywhere in the dialog goes into the filter; a short list gets one then. */
    const type = (event: globalThis.KeyboardEvent): void => {
      const { key, target } = event
      if (!/^[\p{L}\p{N}]$/u.test(key) || event.ctrlKey || event.metaKey || event.altKey) return
      if (!(target instanceof Element) || target.matches('input:not([type=radio])')) return
      if (!rows.current?.closest('[role=dialog]')?.contains(target)) return
      event.preventDefault()
      setFilter((typed) => typed + key)
      input.current?.focus()
    }
    document.addEventListener('keydown', type)
    return () => document.removeEventListener('keydown', type)
  }, [])

  const marked = draft ?? value
  const wanted = normalizeForSearch(filter.trim())
  const shown = options.filter((option) => normalizeForSearch(option.label).includes(wanted))

  function pick(picked: string): void {
    setDraft(null)
    onPick(picked)
  }

  function leaveFilter(event: KeyboardEvent): void {
    const first = shown.find((option) => normalizeForSearch(option.label).startsWith(wanted)) ?? shown[0]
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      const inputs = rows.current?.querySelectorAll('input')
      const target = [...(inputs ?? [])].find((input) => input.checked) ?? inputs?.[0]
      target?.focus()
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (first && wanted !== '' && !event.nativeEvent.isComposing) pick(first.value)
    }
  }

  return (
    <div className="flex min-h-0 flex-col gap-3">
      {hasFilter && (
        <>
          <input
            ref={input}
            type="search"
            autoFocus={options.length <= maxWithoutFilter}
            aria-label={filterLabel}
            placeholder={filterLabel}
            autoComplete="off"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            onKeyDown={leaveFilter}
            className={`${controlClass} shrink-0`}
          />
          <p aria-live="polite" className="sr-only">
            {wanted && `${shown.length} of ${options.length}`}
          </p>
        </>
      )}
      {shown.length === 0 && <p className="py-4 text-text-mute">{noneFound}</p>}
      <div ref={rows} role="radiogroup" aria-label={label} className="flex flex-col gap-1">
        {shown.map((option) => (
          <label
            key={option.value}
            className="flex min-h-14 items-center gap-4 rounded-control border border-transparent bg-plate-2 px-4 py-2 has-checked:border-action has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-(--focus)"
          >
            <input
              type="radio"
              name={group}
              value={option.value}
              checked={option.value === marked}
              className="outline-none"
              onKeyDown={(event) => {
                passingBy.current = event.key.startsWith('Arrow')
                if (event.key === 'Enter') {
                  event.preventDefault()
                  pick(option.value)
                }
              }}
              onPointerDown={() => {
                passingBy.current = false
              }}
              onChange={() => setDraft(option.value)}
              onClick={() => {
                if (!passingBy.current) pick(option.value)
                passingBy.current = false
              }}
            />
            <span className="min-w-0 flex-1 font-semibold wrap-anywhere">{option.label}</span>
            {option.detail && <span className="text-text-mute">{option.detail}</span>}
          </label>
        ))}
      </div>
    </div>
  )
}
