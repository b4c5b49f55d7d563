import ChevronRight from 'lucide-react/icons/chevron-right'
import { type ComponentProps, type JSX, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import { SpinnerMark } from './spinner.tsx'

interface Choice {
  title: string
  description: string
  icon: ReactNode
}

const frame = classNames(
  'grid w-full grid-cols-[auto_1fr_auto] items-center gap-4 rounded-ticket border border-rule bg-plate p-4 sm:p-5',
  'text-start transition-[scale,border-color] duration-100 hover:not-disabled:border-rule-strong',
  'active:not-disabled:scale-99 disabled:cursor-progress',
)

function Inside(props: Choice & { id: string; pending?: boolean }): JSX.Element {
  const { title, description, icon, id, pending = false } = props
  return (
    <>
      <span className="grid size-14 place-items-center rounded-control bg-plate-2 text-action">{icon}</span>
      <span className="min-w-0">
        <span id={`${id}-title`} className="block font-display text-xl font-bold wrap-anywhere">
          {title}
        </span>
        <span id={`${id}-description`} className="block text-text-mute">
          {description}
        </span>
      </span>
      {pending ? <SpinnerMark /> : <ChevronRight aria-hidden className="text-text-mute rtl:rotate-180" />}
    </>
  )
}

const naming = (id: string) => ({
  'aria-labelledby': `${id}-title`,
  'aria-describedby': `${id}-description`,
})

export type LinkCardProps = Omit<ComponentProps<'a'>, 'className' | 'children' | 'title'> & Choice

/** A whole card that leads somewhere. */
export function LinkCard({ title, description, icon, ...rest }: LinkCardProps): JSX.Element {
  const id = useId()
  return (
    <a {...rest} {...naming(id)} className={frame}>
      <Inside {...{ title, description, icon, id }} />
    </a>
  )
}

export type ButtonCardProps = Omit<ComponentProps<'button'>, 'className' | 'children' | 'title'> &
  Choice & { pending?: boolean }

/** The same card where something has to be found out first. */
export function ButtonCard(props: ButtonCardProps): JSX.Element {
  const { title, description, icon, pending = false, ...rest } = props
  const id = useId()
  return (
    <button
      type="button"
      {...rest}
      {...naming(id)}
      disabled={pending}
      aria-busy={pending || undefined}
      className={frame}
    >
      <Inside {...{ title, description, icon, id, pending }} />
    </button>
  )
}
