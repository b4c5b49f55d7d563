import './search-field.css'
import {
  type JSX,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react'
import { afterPaint } from '../../lib/hooks/after-paint.ts'
import { normalizeForSearch } from '../../lib/texts/format.ts'
import { t } from '../../lib/texts/translate.ts'
import { PersonName } from '../page/person-name.tsx'
import { controlClass } from './field.tsx'

type RadioOption = { value: string; label: string; detail?: ReactNode }

interface RadioListProps {
  /** Names the group. */
  label: string
  options: readonly RadioOption[]
  value: string | null
  /** A tap, Space or Enter, once its mark is painted. Arrow keys only move the mark, so they can pass by other rows. */
  onPick: (value: string) => void
  filterLabel?: string
  noneFound?: string
}

/** Up to this many rows need no filter. */
const maxWithoutFilter = 7

/** One of many, as rows large enough for a thumb, with a box that narrows a long list. */
export function RadioList(props: RadioListProps): JSX.Element {
  const {
    label,
    options,
    value,
    onPick,
    filterLabel = t('Filter names'),
    noneFound = t('No names found'),
  } = props
  const [filter, setFilter] = useState('')
  const [marked, setMarked] = useState<string | null>(null)
  const isPicked = useRef(false)
  const rows = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)

  // A short list gets its filter as soon as somebody types a name.
  useTypingInDialog(rows, (key) => {
    setFilter((typed) => typed + key)
    input.current?.focus()
  })

  const wanted = normalizeForSearch(filter.trim())
  const shown = options.filter((option) => normalizeForSearch(option.label).includes(wanted))

  function pick(picked: string): void {
    if (isPicked.current) return
    isPicked.current = true
    setMarked(picked)
    afterPaint(() => {
      isPicked.current = false
      setMarked(null)
      onPick(picked)
    })
  }

  function leaveFilter(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      focusCheckedRow(rows.current)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const first = shown.find((option) => normalizeForSearch(option.label).startsWith(wanted)) ?? shown[0]
      if (first && wanted !== '' && !event.nativeEvent.isComposing) pick(first.value)
    }
  }

  return (
    <div className="flex min-h-0 flex-col gap-3">
      {(options.length > maxWithoutFilter || filter !== '') && (
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
            {wanted && t('{shown} of {count}', { shown: shown.length, count: options.length })}
          </p>
        </>
      )}
      {shown.length === 0 && <p className="py-4 text-text-mute">{noneFound}</p>}
      <RadioRows
        ref={rows}
        label={label}
        options={shown}
        checked={marked ?? value}
        onMark={setMarked}
        onPick={pick}
      />
    </div>
  )
}

/** Calls back for each letter and digit that is typed in the dialog around `content`, but in no text input. */
function useTypingInDialog(content: RefObject<HTMLElement | null>, onType: (key: string) => void): void {
  const type = useEffectEvent(onType)
  useEffect(() => {
    const handleKey = (event: globalThis.KeyboardEvent): void => {
      const { key, target } = event
      if (!/^[\p{L}\p{N}]$/u.test(key) || event.ctrlKey || event.metaKey || event.altKey) return
      if (!(target instanceof Element) || target.matches('input:not([type=radio])')) return
      if (!content.current?.closest('[role=dialog]')?.contains(target)) return
      event.preventDefault()
      type(key)
    }
    document.addEventListener('keydown', handleKey)
    return () => document.removeEventListener('keydown', handleKey)
  }, [content])
}

/** Without a checked row, the first one. */
function focusCheckedRow(rows: HTMLElement | null): void {
  const inputs = [...(rows?.querySelectorAll('input') ?? [])]
  const target = inputs.find((input) => input.checked) ?? inputs[0]
  target?.focus()
}

type RadioRowsProps = {
  ref: RefObject<HTMLDivElement | null>
  label: string
  options: readonly RadioOption[]
  checked: string | null
  onMark: (value: string) => void
  onPick: (value: string) => void
}

function RadioRows({ ref, label, options, checked, onMark, onPick }: RadioRowsProps): JSX.Element {
  const group = useId()
  /** An arrow key clicks the next row, too. */
  const passingBy = useRef(false)
  return (
    <div ref={ref} role="radiogroup" aria-label={label} className="flex flex-col gap-1">
      {options.map(({ value, label: name, detail }) => (
        <label
          key={value}
          className="flex min-h-14 items-center gap-[min(1rem,4vw)] rounded-control border border-transparent bg-plate-2 px-[min(1rem,4vw)] py-2 has-checked:border-action has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-(--focus)"
        >
          <input
            type="radio"
            name={group}
            value={value}
            checked={value === checked}
            className="outline-none"
            onKeyDown={(event) => {
              passingBy.current = event.key.startsWith('Arrow')
              if (event.key === 'Enter') {
                event.preventDefault()
                onPick(value)
              }
            }}
            onPointerDown={() => {
              passingBy.current = false
            }}
            onChange={() => onMark(value)}
            onClick={() => {
              if (!passingBy.current) onPick(value)
              passingBy.current = false
            }}
          />
          <span className="flex min-w-0 flex-1 flex-wrap gap-x-4">
            <span className="min-w-0 flex-1 basis-32">
              <PersonName>{name}</PersonName>
            </span>
            {detail && <span className="text-text-mute">{detail}</span>}
          </span>
        </label>
      ))}
    </div>
  )
}
