import type { JSX } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Spinner } from '../../ui/spinner.tsx'

type LoadingCardProps = { title: string; level?: 2 | 3; failed: boolean; onRetry: () => unknown }

/** Stands where something is to be read: on its way, or to be asked for again. */
export function LoadingCard({ title, level = 2, failed, onRetry: again }: LoadingCardProps): JSX.Element {
  return (
    <Card title={title} level={level}>
      {failed ? <LoadError message="This could not be loaded." again={again} /> : <Spinner />}
    </Card>
  )
}

export function LoadError({
  message,
  again: onRetry,
}: {
  message: string
  again: () => unknown
}): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-4">
      <p className="font-semibold text-late">{message}</p>
      <Button onClick={() => onRetry()}>Try again</Button>
    </div>
  )
}
