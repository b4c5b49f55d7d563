import { type JSX, useState } from 'react'
import type { Connection } from '../../api/live/live-channel.ts'
import { useConnection } from '../../api/live/use-live.ts'
import { coversTop } from './covers.ts'
import { useIsBefore } from './heat.ts'
import { TimeText } from '../../ui/requests/time-text.tsx'
import { t } from '../../lib/texts/translate.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'

type ConnectionStatusProps = {
  /** Only people who cannot see the dot need the word. */
  brief?: boolean
  /** Below stands an `OfflineBanner`, which says it once the connection is lost. */
  hasBanner?: boolean
}

/** Shows whether the screen is up to date. */
export function ConnectionStatus({ brief = false, hasBanner = false }: ConnectionStatusProps): JSX.Element {
  const isLive = useConnection().state === 'live'
  const isLost = useIsLost()
  return (
    <span className="connection" data-lost={!isLive || undefined}>
      <i aria-hidden />
      <span role="status" className={brief ? 'sr-only' : undefined}>
        {isLive ? t('Live') : !(hasBanner && isLost) && t('Reconnecting…')}
      </span>
    </span>
  )
}

const startingMs = 3000

/** While a page is opening, it is not worth an alarm that nothing has been heard yet. */
export function useIsLost(): boolean {
  const connection = useConnection()
  const [openedAt] = useState(Date.now)
  const isOpening = useIsBefore(openedAt + startingMs)
  return connection.state === 'reconnecting' && (connection.lastMessageAt !== null || !isOpening)
}

const lastHeard = (connection: Connection): number | null =>
  connection.state === 'reconnecting' ? connection.lastMessageAt : null

/** Across the whole screen, while it is lost: what it shows is old, and how old. */
export function OfflineBanner(): JSX.Element {
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
            {heardAt !== null && <>{tRich('Last heard {time}.', { time: <TimeText at={heardAt} /> })} </>}
            {t('New requests don’t show here. Your taps on requests are kept.')}
          </p>
        )}
      </div>
    </div>
  )
}
