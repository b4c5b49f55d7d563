import { type JSX } from 'react'
import { useConnection } from '../../api/use-live.ts'
import { classNames } from '../../ui/class-names.ts'
import { useTimeAgo } from './use-age.ts'

/** Whether what the screen shows is what is, and if not, from when it is. */
export function ConnectionState(): JSX.Element {
  const connection = useConnection()
  const isLive = connection.state === 'live'
  return (
    <span className="inline-flex shrink-0 items-center gap-2">
      <span aria-hidden className={classNames('size-3 rounded-full', isLive ? 'bg-done' : 'bg-late')} />
      <span role="status">{isLive ? 'Live' : 'Reconnecting…'}</span>
      {connection.state === 'reconnecting' && connection.heardAt !== null && (
        <AsOf heardAt={connection.heardAt} />
      )}
    </span>
  )
}

function AsOf({ heardAt }: { heardAt: number }): JSX.Element {
  return <span>· as of {useTimeAgo(heardAt)}</span>
}
