import {
  type ComponentProps,
  type JSX,
  type ReactNode,
  type RefObject,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import { classNames } from './class-names.ts'
import { SpinnerIcon } from './page/spinner.tsx'

export interface ButtonStyle {
  variant?: 'primary' | 'secondary' | 'plate' | 'quiet' | 'danger' | undefined
  /** Minimum height in pixels. By default the height of the theme's controls: 56 in dark, 44 in light. */
  size?: 44 | 56 | 96 | undefined
  /** As wide as its container. */
  wide?: boolean | undefined
}

const variants = {
  primary: 'bg-action text-on-action hover:not-disabled:[filter:brightness(1.05)]',
  secondary: 'border border-rule-strong hover:not-disabled:bg-current/10',
  plate: 'bg-plate-2 hover:not-disabled:[filter:brightness(1.15)]',
  quiet: 'hover:not-disabled:bg-current/10',
  danger: 'border border-late text-late hover:not-disabled:bg-plate-late',
}

const sizes = {
  44: 'min-h-11 rounded-control px-[min(1rem,5vw)] py-2 font-semibold',
  56: 'min-h-14 rounded-control px-5 py-3 font-semibold',
  96: 'min-h-24 rounded-primary px-6 py-4 font-display text-2xl font-bold',
}

/** The look of a button, for anything that has to be a different element. */
export function buttonClass({ variant = 'secondary', size, wide = false }: ButtonStyle = {}): string {
  return classNames(
    'inline-flex min-w-[44px] items-center justify-center gap-2 text-center leading-tight select-none',
    'press',
    'disabled:not-aria-busy:cursor-not-allowed disabled:not-aria-busy:opacity-55 aria-busy:cursor-progress',
    variants[variant],
    size ? sizes[size] : 'min-h-(--control) rounded-control px-[min(1rem,5vw)] py-2 font-semibold',
    wide && 'w-full',
  )
}

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'>, ButtonStyle {
  icon?: ReactNode
  /** Disables the button and marks it busy. */
  pending?: boolean | undefined
  /** Replaces the label while pending. */
  pendingLabel?: string | undefined
}

export function Button(props: ButtonProps): JSX.Element {
  const { variant, size, wide, icon, pending = false, pendingLabel, children, disabled, ref, ...rest } = props
  const button = useFocusRestore(pending)
  useImperativeHandle<HTMLButtonElement | null, HTMLButtonElement | null>(ref, () => button.current)
  return (
    <button
      type="button"
      {...rest}
      ref={button}
      disabled={disabled || pending}
      aria-busy={pending || undefined}
      className={buttonClass({ variant, size, wide })}
    >
      {pending ? <SpinnerIcon size={20} /> : icon}
      {pending ? (pendingLabel ?? children) : children}
    </button>
  )
}

/** A browser blurs a disabled button: give the focus back afterwards, unless it has moved on. */
function useFocusRestore(pending: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const hadFocus = useRef(false)
  useLayoutEffect(() => {
    if (pending) hadFocus.current = document.activeElement === button.current
    else if (hadFocus.current) {
      hadFocus.current = false
      if (document.activeElement === document.body) button.current?.focus({ preventScroll: true })
    }
  }, [pending])
  return button
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'aria-label'> {
  /** The accessible name: an icon alone says nothing. */
  label: string
  /** Side in pixels. By default the height of the theme's controls. */
  size?: 44 | 56 | undefined
}

export function IconButton({ label, size, children, ...rest }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      className={classNames(
        'inline-grid shrink-0 place-items-center rounded-control press',
        'select-none hover:not-disabled:bg-current/10',
        'disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-progress aria-disabled:opacity-55',
        size === 44 ? 'size-11' : size === 56 ? 'size-14' : 'size-(--control)',
      )}
    >
      {children}
    </button>
  )
}
