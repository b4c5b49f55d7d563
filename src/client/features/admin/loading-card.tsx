import type { JSX } from 'react'
import { Card } from '../../ui/card.tsx'
import { LoadingOrError } from '../../ui/page/load-error.tsx'

type LoadingCardProps = { title: string; level?: 2 | 3; failed: boolean; onRetry: () => unknown }

/** Stands in for a card until its content is loaded. */
export function LoadingCard({ title, level = 2, failed, onRetry }: LoadingCardProps): JSX.Element {
  return (
    <Card title={title} level={level}>
      <LoadingOrError failed={failed} onRetry={onRetry} />
    </Card>
  )
}
