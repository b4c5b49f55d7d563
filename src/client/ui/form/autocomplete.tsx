import { Autocomplete as Base } from '@base-ui/react/autocomplete'
import { type ComponentProps, type JSX, type KeyboardEvent, type ReactNode, type Ref } from 'react'

interface AutocompleteProps<Option> extends Pick<
  ComponentProps<'input'>,
  'placeholder' | 'autoFocus' | 'tabIndex' | 'onFocus' | 'onBlur' | 'maxLength'
> {
  /** Names the input and the list. */
  label: string
  /** Already filtered, best first. */
  options: readonly Option[]
  keyOf: (option: Option) => string
  children: (option: Option) => ReactNode
  value: string
  onValueChange: (value: string) => void
  open: boolean
  /** The list wants to open or close: by typing, a click or a key. Losing the focus is up to the caller. */
  onOpenChange: (open: boolean) => void
  onPick: (option: Option) => void
  /** Which option the arrow keys stand on. */
  onHighlight: (option: Option | null) => void
  /** Comes first: `event.preventBaseUIHandler()` keeps the key from the list. */
  onKeyDown: (event: KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler: () => void }) => void
  /** Read aloud whenever it changes, such as how many options there are. */
  status: string
  /** Under the options. */
  footer?: ReactNode
  inputRef?: Ref<HTMLInputElement>
  inputClassName: string
}

/** An input that suggests: what was typed stays what was typed. */
export function Autocomplete<Option>(props: AutocompleteProps<Option>): JSX.Element {
  const { label, options, keyOf, children, value, onValueChange, open, onOpenChange } = props
  const { onPick, onHighlight, onKeyDown, status, footer, inputRef, inputClassName, ...input } = props
  const { placeholder, autoFocus, tabIndex, onFocus, onBlur, maxLength } = input

  return (
    <Base.Root
      items={options}
      mode="none"
      value={value}
      onValueChange={(next, { reason }) => {
        if (reason !== 'item-press') onValueChange(next)
      }}
      itemToStringValue={keyOf}
      open={open}
      onOpenChange={(next, { reason }) => {
        if (reason !== 'focus-out' && reason !== 'outside-press') onOpenChange(next)
      }}
      onItemHighlighted={(option) => onHighlight(option ?? null)}
      openOnInputClick
    >
      <Base.Input
        {...{ placeholder, autoFocus, tabIndex, onFocus, onBlur, maxLength, onKeyDown }}
        ref={inputRef}
        aria-label={label}
        autoCapitalize="words"
        autoCorrect="off"
        spellCheck={false}
        className={inputClassName}
      />
      {/* Not in Base UI's Popup, which hides the page around it, with what has the focus, from screen readers. */}
      {open && (
        <Base.Portal>
          <Base.Positioner align="start" sideOffset={4} collisionPadding={8} className="z-50 outline-none">
            <div className="flex max-h-[min(22rem,var(--available-height))] w-[max(var(--anchor-width),17rem)] max-w-(--available-width) flex-col rounded-control border border-rule-strong bg-plate text-text floating">
              <Base.Status className="sr-only">{status}</Base.Status>
              <Base.List
                aria-label={label}
                className="min-h-0 flex-1 scroll-py-1 overflow-y-auto overscroll-contain p-1 outline-none empty:p-0"
              >
                {(option: Option) => (
                  <Base.Item
                    key={keyOf(option)}
                    value={option}
                    onClick={() => onPick(option)}
                    className="flex min-h-11 cursor-pointer items-center gap-2 rounded-[9px] px-3 py-1 select-none data-highlighted:bg-text data-highlighted:text-ground data-highlighted:[--text-mute:var(--plate-2)]"
                  >
                    {children(option)}
                  </Base.Item>
                )}
              </Base.List>
              {footer && (
                <div className="border-t border-rule px-4 py-2 text-sm text-text-mute">{footer}</div>
              )}
            </div>
          </Base.Positioner>
        </Base.Portal>
      )}
    </Base.Root>
  )
}
