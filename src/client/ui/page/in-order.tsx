import './in-order.css'
import type { ComponentProps, JSX } from 'react'
import { classNames } from '../class-names.ts'

/** Shows each part once those before it have loaded, so that nothing moves away from under a finger. */
export function InOrder({ className, ...props }: ComponentProps<'div'>): JSX.Element {
  return <div {...props} className={classNames('in-order', className)} />
}

/** In the place of a part that may turn out to have nothing to show, until that is known. */
export function NotYetLoaded(): JSX.Element {
  return <span hidden data-loading />
}
