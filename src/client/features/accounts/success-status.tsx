import type { JSX, ReactNode } from 'react'

/** Says aloud, too, that it worked, while the next screen is still to come. */
export function SuccessStatus({ children }: { children: ReactNode }): JSX.Element {
  return (
    <p role="status" className="font-semibold text-done empty:-mt-4">
      {children}
    </p>
  )
}
