import './choice-card.css'
import type { LucideIcon } from 'lucide-react'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { type ComponentProps, type JSX, type ReactNode } from 'react'
import { Link } from 'wouter'
import { classNames } from './class-names.ts'
import { SpinnerIcon } from './page/spinner.tsx'

interface ChoiceContent {
  title: string
  description: string
  icon: LucideIcon
}

/** The control's name is the title alone; its hit area is the whole card. */
const surfaceClass = classNames(
  'col-start-2 row-start-1 flex min-h-11 items-end pt-3 text-start font-display text-xl leading-tight font-bold',
  'wrap-anywhere after:absolute after:inset-0 after:rounded-ticket focus-visible:outline-none disabled:cursor-progress',
  'focus-visible:after:outline-3 focus-visible:after:outline-offset-2 focus-visible:after:outline-(--focus)',
)

function Frame(props: ChoiceContent & { pending?: boolean; children: ReactNode }): JSX.Element {
  const { description, icon: Icon, pending = false, children } = props
  return (
    <div
      className={classNames(
        'choice-card relative grid w-full grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 rounded-ticket border border-rule bg-plate',
        'px-4 pt-2 pb-5 transition-[opacity,background-color,filter] duration-100 hover:border-rule-strong sm:gap-x-4 sm:px-5',
        'has-[:active:not(:disabled)]:opacity-80',
      )}
    >
      <span className="row-span-2 mt-3 grid size-14 place-items-center rounded-control bg-plate-2 text-action">
        <Icon aria-hidden size={28} />
      </span>
      {children}
      <span className="row-span-2 mt-3 text-text-mute">
        {pending ? <SpinnerIcon /> : <ChevronRight aria-hidden className="rtl:rotate-180" />}
      </span>
      <span className="col-start-2 row-start-2 wrap-anywhere text-text-mute">{description}</span>
    </div>
  )
}

type LinkCardProps = ChoiceContent & { href: string }

/** A card that is one link. */
export function LinkCard({ href, title, description, icon }: LinkCardProps): JSX.Element {
  return (
    <Frame {...{ title, description, icon }}>
      <Link href={href} className={surfaceClass}>
        {title}
      </Link>
    </Frame>
  )
}

type ButtonCardProps = Omit<ComponentProps<'button'>, 'className' | 'children' | 'title'> &
  ChoiceContent & { pending?: boolean }

/** The same card for where something has to be looked up first. */
export function ButtonCard(props: ButtonCardProps): JSX.Element {
  const { title, description, icon, pending = false, ...rest } = props
  return (
    <Frame {...{ title, description, icon, pending }}>
      <button
        type="button"
        {...rest}
        disabled={pending}
        aria-busy={pending || undefined}
        className={surfaceClass}
      >
        {title}
      </button>
    </Frame>
  )
}
