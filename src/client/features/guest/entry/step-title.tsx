import { type JSX, type ReactNode, useLayoutEffect, useRef, useState } from 'react'

/** For when the element that had the focus is gone. */
export const focusTitle = (): void => document.querySelector('h1')?.focus({ preventScroll: true })

/** The heading of a step. A step that follows another takes the focus, so that screen readers follow. */
export function StepTitle({
  children,
  takesFocus,
}: {
  children: ReactNode
  takesFocus: boolean
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  const [focusOnMount] = useState(takesFocus)
  // Together with the step: later it would take the focus from what the guest has moved on to.
  useLayoutEffect(() => {
    if (focusOnMount) heading.current?.focus({ preventScroll: true })
  }, [focusOnMount])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
