import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react'

/** Where the focus goes when what had it is gone. */
export const focusTitle = (): void => document.querySelector('h1')?.focus({ preventScroll: true })

/** The heading of a step. A step that follows another takes the focus, so that screen readers follow. */
export function StepTitle({
  children,
  follows: takesFocus,
}: {
  children: ReactNode
  follows: boolean
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  const [arrived] = useState(takesFocus)
  useEffect(() => {
    if (arrived) heading.current?.focus({ preventScroll: true })
  }, [arrived])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
