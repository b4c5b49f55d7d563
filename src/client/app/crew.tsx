import { type JSX, useCallback, useEffect, useState } from 'react'
import { useSearch } from 'wouter'
import type { ServerMessage } from '#contract/live.ts'
import { LiveChannel } from '../api/live-channel.ts'
import { LiveContext } from '../api/use-live.ts'
import { CrewDashboard, type MessagesSlot } from '../features/crew/crew-dashboard.tsx'
import { preloadLazyParts } from '../features/crew/late.ts'
import { LazyMessages, loadMessages } from './late-messages.tsx'
import { lazyPage } from './lazy-page.tsx'

const WallDisplay = lazyPage(() => import('../features/crew/wall/wall-display.tsx'), 'WallDisplay')

/** Every frame is checked against the contract, once the checker has come: requests do not wait for it. */
let messageGuard: (value: unknown) => value is ServerMessage = (value): value is ServerMessage =>
  typeof value === 'object' && value !== null && 'type' in value

const isMessage = (value: unknown): value is ServerMessage => messageGuard(value)

async function loadMessageGuard(): Promise<void> {
  const { isServerMessage } = await import('./is-server-message.ts')
  messageGuard = isServerMessage
}

/** The Crew Dashboard, or the display on the wall. After a shift it begins anew, as if the page had been opened. */
export function Crew(): JSX.Element {
  const [starts, setStarts] = useState(0)
  const startAfresh = useCallback(() => setStarts((before) => before + 1), [])
  useEffect(() => {
    loadMessageGuard().catch(() => undefined)
  }, [])
  return <WithLiveChannel key={starts} onRestart={startAfresh} />
}

type RestartProps = { onRestart: () => void }

function WithLiveChannel(props: RestartProps): JSX.Element {
  const [live] = useState(() => new LiveChannel({ isMessage }))
  const isDisplay = new URLSearchParams(useSearch()).has('display')
  return <LiveContext value={live}>{isDisplay ? <WallDisplay /> : <Dashboard {...props} />}</LiveContext>
}

function Dashboard({ onRestart: startAfresh }: RestartProps): JSX.Element {
  useEffect(() => {
    // Fetched while somebody chooses a name; should it fail, the panel tries again itself.
    void loadMessages()
      .catch(() => undefined)
      .then(preloadLazyParts)
  }, [])
  return <CrewDashboard messages={renderMessages} onRestart={startAfresh} />
}

const renderMessages = (slot: MessagesSlot): JSX.Element => <LazyMessages key={slot.me.id} {...slot} />
