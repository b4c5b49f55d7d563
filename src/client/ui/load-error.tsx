import type { JSX } from 'react'
import { Button } from './button.tsx'
import { Spinner } from './spinner.tsx'

type LoadErrorProps = { message?: string; onRetry: () => unknown }

export function LoadError({ message = 'This could not be loaded.', onRetry }: LoadErrorProps): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-4">
      <p className="font-semibold text-late">{message}</p>
      <Button onClick={() => void onRetry()}>Try again</Button>
    </div>
  )
}

/** Shown in a card until its content is loaded. */
export function LoadingOrError({
  failed,
  onRetry,
}: {
  failed: boolean
  onRetry: () => unknown
}): JSX.Element {
  return failed ? <LoadError onRetry={onRetry} /> : <Spinner />
}
