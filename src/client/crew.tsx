import { type JSX, useCallback, useEffect, useState } from 'react'
import { useSearch } from 'wouter'
import type { ServerMessage } from '#contract/live.ts'
import { Live } from './api/live.ts'
import { LiveContext } from './api/use-live.ts'
import { CrewDashboard, type MessagesSlot } from './features/crew/crew-dashboard.tsx'
import { fetchLateParts } from './features/crew/late.ts'
import { LateMessages, loadMessages } from './late-messages.tsx'
import { lazyPage } from './lazy-page.tsx'

const WallDisplay = lazyPage(() => import('./features/crew/wall-display.tsx'), 'WallDisplay')

/** Every frame is checked against the contract, once the checker has come: requests do not wait for it. */
let check: (value: unknown) => value is ServerMessage = (value): value is ServerMessage =>
  typeof value === 'object' && value !== null && 'type' in value

const isMessage = (value: unknown): value is ServerMessage => check(value)

async function loadChecker(): Promise<void> {
  const { isServerMessage } = await import('./live-checker.ts')
  check = isServerMessage
}

/** The Crew Dashboard, or the display on the wall. After a shift it begins anew, as if the page had been opened. */
export function Crew(): JSX.Element {
  const [starts, setStarts] = useState(0)
  const startAfresh = useCallback(() => setStarts((before) => before + 1), [])
  useEffect(() => {
    loadChecker().catch(() => undefined)
  }, [])
  return <OnOneChannel key={starts} startAfresh={startAfresh} />
}

type Starting = { startAfresh: () => void }

function OnOneChannel(props: Starting): JSX.Element {
  const [live] = useState(() => new Live({ isMessage }))
  const isDisplay = new URLSearchParams(useSearch()).has('display')
  return <LiveContext value={live}>{isDisplay ? <WallDisplay /> : <Dashboard {...props} />}</LiveContext>
}

function Dashboard({ startAfresh }: Starting): JSX.Element {
  useEffect(() => {
    // Fetched while somebody chooses a name; should it fail, the panel tries again itself.
    void loadMessages()
      .catch(() => undefined)
      .then(fetchLateParts)
  }, [])
  return <CrewDashboard messages={messagesOf} startAfresh={startAfresh} />
}

const messagesOf = (slot: MessagesSlot): JSX.Element => <LateMessages key={slot.me.id} {...slot} />
