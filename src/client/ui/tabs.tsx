import { type JSX, type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { nextIndex } from '../lib/list-navigation.ts'
import { classNames } from './class-names.ts'

interface TabsProps<Value extends string> {
  /** Names the row of tabs. */
  label: string
  /** A description is read after the name of the tab. */
  tabs: readonly { value: Value; label: ReactNode; description?: string }[]
  value: Value
  onChange: (value: Value) => void
  /** All in one row of equal columns, each label as it is. */
  equal?: boolean
  /** Puts the row of tabs into its surroundings. */
  frame?: (row: JSX.Element) => ReactNode
  /** What the chosen tab shows. */
  children: ReactNode
}

/** Arrow keys, Home and End choose; Tab goes on to the panel. */
export function Tabs<Value extends string>(props: TabsProps<Value>): JSX.Element {
  const { label, tabs, value, onChange, equal = false, frame, children } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)

  function choose(event: KeyboardEvent<HTMLButtonElement>): void {
    const chosen = tabs.findIndex((tab) => tab.value === value)
    const rtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const next = nextIndex(event, chosen, { count: tabs.length, perRow: tabs.length, rtl, wrap: true })
    const tab = next === null ? undefined : tabs[next]
    if (next === null || !tab) return
    event.preventDefault()
    onChange(tab.value)
    list.current?.querySelectorAll('button')[next]?.focus()
  }

  const row = (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      className={equal ? 'equal-tabs' : '-mx-2 flex flex-wrap gap-1 p-2'}
    >
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          aria-describedby={tab.description && `${id}-${tab.value}-more`}
          id={`${id}-${tab.value}`}
          aria-selected={tab.value === value}
          aria-controls={tab.value === value ? `${id}-panel` : undefined}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onChange(tab.value)}
          onKeyDown={choose}
          className={classNames(
            'text-text-mute select-none aria-selected:bg-text aria-selected:text-ground',
            !equal && 'min-h-(--control) rounded-full px-4 font-semibold press hover:text-text',
          )}
        >
          {tab.label}
        </button>
      ))}
    </div>
  )
  return (
    <>
      {frame ? frame(row) : row}
      {tabs.map(
        (tab) =>
          tab.description && (
            <span key={tab.value} hidden id={`${id}-${tab.value}-more`}>
              {tab.description}
            </span>
          ),
      )}
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
        {children}
      </div>
    </>
  )
}
