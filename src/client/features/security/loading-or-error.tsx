import type { JSX } from 'react'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'

/** In a card whose content is not there: on its way, or to be asked for again. */
export function LoadingOrError({
  failed,
  again: onRetry,
}: {
  failed: boolean
  again: () => unknown
}): JSX.Element {
  if (!failed) return <Spinner />
  return (
    <div className="flex flex-wrap items-center gap-4">
      <p className="font-semibold text-late">This could not be loaded.</p>
      <Button onClick={() => void onRetry()}>Try again</Button>
    </div>
  )
}
