import { type JSX, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import { useAnchor } from './page/use-anchor.ts'

interface CardProps {
  title?: ReactNode
  /** Only read aloud: the page shows it already. */
  titleHidden?: boolean
  /** The name by which an address leads to it, such as `opening-hours`; its title then takes the focus. */
  anchor?: string
  /** Level of the title in the outline of the page. */
  level?: 2 | 3
  description?: ReactNode
  /** Stands at the end of the title's line. */
  action?: ReactNode
  /** Without a frame where it fills a column of a wide screen. */
  column?: boolean
  children?: ReactNode
}

/** With a title it is a region named by it. */
export function Card({
  title,
  titleHidden = false,
  anchor,
  level = 2,
  description,
  action,
  column = false,
  children,
}: CardProps): JSX.Element {
  const id = useId()
  const heading = useAnchor<HTMLHeadingElement>(anchor)
  const Title = level === 2 ? 'h2' : 'h3'
  const Frame = title ? 'section' : 'div'
  return (
    <Frame
      aria-labelledby={title ? id : undefined}
      className={classNames(
        'flex flex-col gap-4 rounded-ticket border border-rule bg-plate p-edge sm:p-6',
        column && 'lg:border-0 lg:bg-transparent lg:p-0',
      )}
    >
      {(title || action) && (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="min-w-0">
            {title && (
              <Title
                ref={heading}
                id={id}
                tabIndex={anchor === undefined ? undefined : -1}
                className={
                  titleHidden ? 'sr-only' : classNames('wrap-anywhere', level === 2 ? 'text-xl' : 'text-lg')
                }
              >
                {title}
              </Title>
            )}
            {description && <p className="text-text-mute">{description}</p>}
          </div>
          {action}
        </div>
      )}
      {children}
    </Frame>
  )
}
