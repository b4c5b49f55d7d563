import { type JSX, memo, useCallback, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useSearch } from 'wouter'
import type { ServerMessage } from '#contract/live.ts'
import { LiveChannel } from '../api/live-channel.ts'
import { LiveContext } from '../api/use-live.ts'
import { CrewDashboard, type MessagesSlot } from '../features/crew/crew-dashboard.tsx'
import { lazyPage, lazyPart, preloadLazyParts } from '../lib/lazy.tsx'
import { Card } from '../ui/card.tsx'
import { Spinner } from '../ui/spinner.tsx'

const WallDisplay = lazyPage(async () => (await import('../features/crew/wall/wall-display.tsx')).WallDisplay)

const LazyMessagesPanel = lazyPart(
  async () => (await import('../features/messages/messages-panel.tsx')).MessagesPanel,
  {
    fallback: (failed) => (
      <Card title="Messages">
        {failed ? <p className="text-text-mute">Messages could not be loaded yet.</p> : <Spinner />}
      </Card>
    ),
  },
)

const Messages = memo(LazyMessagesPanel)

/** Every message is checked against the contract once the check has loaded: requests do not wait for it. */
let messageGuard: (value: unknown) => value is ServerMessage = (value): value is ServerMessage =>
  typeof value === 'object' && value !== null && 'type' in value

const isMessage = (value: unknown): value is ServerMessage => messageGuard(value)

async function loadMessageGuard(): Promise<void> {
  const { isServerMessage } = await import('./is-server-message.ts')
  messageGuard = isServerMessage
}

/** The Crew Dashboard or the wall display. When a shift ends, it starts over as if the page had been reloaded. */
export function Crew(): JSX.Element {
  const [starts, setStarts] = useState(0)
  const restart = useCallback(() => flushSync(() => setStarts((before) => before + 1)), [])
  useEffect(() => {
    loadMessageGuard().catch(() => undefined)
  }, [])
  return <WithLiveChannel key={starts} onRestart={restart} />
}

type RestartProps = { onRestart: () => void }

function WithLiveChannel({ onRestart }: RestartProps): JSX.Element {
  const [live] = useState(() => new LiveChannel({ isMessage }))
  const isDisplay = new URLSearchParams(useSearch()).has('display')
  return (
    <LiveContext value={live}>
      {isDisplay ? <WallDisplay /> : <Dashboard onRestart={onRestart} />}
    </LiveContext>
  )
}

function Dashboard({ onRestart }: RestartProps): JSX.Element {
  useEffect(() => {
    // Messages come first: they are in view as soon as somebody has chosen a name.
    void LazyMessagesPanel.load()
      .catch(() => undefined)
      .then(preloadLazyParts)
  }, [])
  return <CrewDashboard messages={renderMessages} onRestart={onRestart} />
}

const renderMessages = (slot: MessagesSlot): JSX.Element => <Messages key={slot.me.id} {...slot} />
