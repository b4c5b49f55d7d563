import './offline-banner.css'
import type { JSX } from 'react'
import type { Connection } from '../../../api/live/live-channel.ts'
import { useConnection } from '../../../api/live/use-live.ts'
import { toServerTime } from '../../../lib/server-clock.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'
import { TimeText } from '../../../ui/requests/time-text.tsx'
import { useIsLost } from '../connection-status.tsx'
import { coversTop } from '../covers.ts'

const lastHeard = (connection: Connection): number | null =>
  connection.state === 'reconnecting' ? connection.lastMessageAt : null

type OfflineBannerProps = {
  /** Nobody taps on a wall. */
  onWall?: boolean
}

/** Across the whole screen, while it is lost: what it shows is old, and how old. */
export function OfflineBanner({ onWall = false }: OfflineBannerProps): JSX.Element {
  const heardAt = lastHeard(useConnection())
  const isLost = useIsLost()
  return (
    <div ref={coversTop} className={isLost ? 'offline' : undefined}>
      <div>
        {/* Always there, because a live region that comes with its words may go unread. */}
        <p role="status" className="font-bold">
          {isLost && t('Reconnecting…')}
        </p>
        {isLost && (
          <p>
            {heardAt !== null && (
              <>{tRich('Last heard {time}.', { time: <TimeText at={toServerTime(heardAt)} /> })} </>
            )}
            {onWall
              ? t('New requests don’t show here.')
              : t('New requests don’t show here. Your taps on requests are kept.')}
          </p>
        )}
      </div>
    </div>
  )
}
