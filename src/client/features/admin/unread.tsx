import type { JSX } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Spinner } from '../../ui/spinner.tsx'

type UnreadProps = { title: string; level?: 2 | 3; failed: boolean; again: () => unknown }

/** Stands where something is to be read: on its way, or to be asked for again. */
export function Unread({ title, level = 2, failed, again }: UnreadProps): JSX.Element {
  return (
    <Card title={title} level={level}>
      {failed ? <Failed message="This could not be loaded." again={again} /> : <Spinner />}
    </Card>
  )
}

export function Failed({ message, again }: { message: string; again: () => unknown }): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-4">
      <p className="font-semibold text-late">{message}</p>
      <Button onClick={() => again()}>Try again</Button>
    </div>
  )
}
