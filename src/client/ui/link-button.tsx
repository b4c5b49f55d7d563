import { type ComponentProps, type JSX, type ReactNode } from 'react'
import { buttonClass, type ButtonStyle } from './button.tsx'

interface LinkButtonProps extends Omit<ComponentProps<'a'>, 'className'>, ButtonStyle {
  icon?: ReactNode
}

/** A link that looks like a button. */
export function LinkButton(props: LinkButtonProps): JSX.Element {
  const { variant, size, wide, icon, children, ...rest } = props
  return (
    <a {...rest} className={buttonClass({ variant, size, wide })}>
      {icon}
      {children}
    </a>
  )
}
