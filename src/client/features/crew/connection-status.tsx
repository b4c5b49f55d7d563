import { type JSX } from 'react'
import { useConnection } from '../../api/use-live.ts'
import { classNames } from '../../ui/class-names.ts'
import { useTimeAgo } from './use-elapsed-time.ts'

/** Shows whether the screen is up to date, and otherwise how old its data is. */
export function ConnectionStatus(): JSX.Element {
  const connection = useConnection()
  const isLive = connection.state === 'live'
  return (
    <span className="relative inline-flex shrink-0 items-center gap-2">
      <span aria-hidden className={classNames('size-3 rounded-full', isLive ? 'bg-done' : 'bg-late')} />
      <span role="status">{isLive ? 'Live' : 'Reconnecting…'}</span>
      {connection.state === 'reconnecting' && connection.lastMessageAt !== null && (
        <LastUpdated heardAt={connection.lastMessageAt} />
      )}
    </span>
  )
}

/** On narrow screens it is placed in the space above the content, so that nothing shifts when it appears. */
function LastUpdated({ heardAt }: { heardAt: number }): JSX.Element {
  return (
    <span className="whitespace-nowrap max-lg:absolute max-lg:start-5 max-lg:top-full max-lg:text-sm max-lg:leading-tight">
      <span className="max-lg:hidden">· </span>as of {useTimeAgo(heardAt)}
    </span>
  )
}
