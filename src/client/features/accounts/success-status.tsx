import type { JSX, ReactNode } from 'react'

/** Shows and announces success until the next screen opens. */
export function SuccessStatus({ children }: { children: ReactNode }): JSX.Element {
  return (
    <p role="status" className="font-semibold text-done empty:-mt-4">
      {children}
    </p>
  )
}
