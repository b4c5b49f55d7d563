import type { JSX, ReactNode } from 'react'

/** Says aloud, too, that it worked, while the next screen is still to come. */
export function Progress({ children }: { children: ReactNode }): JSX.Element {
  return (
    <p role="status" className="font-semibold text-done empty:-mt-4">
      {children}
    </p>
  )
}
