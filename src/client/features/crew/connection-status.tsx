import { type JSX, useState } from 'react'
import { useConnection } from '../../api/live/use-live.ts'
import { t } from '../../lib/texts/translate.ts'
import { useIsBefore } from './heat.ts'

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
  const isOpening = useIsBefore(openedAt + startingMs, Date.now)
  return connection.state === 'reconnecting' && (connection.lastMessageAt !== null || !isOpening)
}
