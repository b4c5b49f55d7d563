import { type ComponentProps, type JSX } from 'react'

/** Read by screen readers only. */
export function VisuallyHidden(props: Omit<ComponentProps<'span'>, 'className'>): JSX.Element {
  return <span {...props} className="sr-only" />
}
