import { type JSX, useEffect, useState } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import type { ServerMessage } from '#contract/live.ts'
import { Live } from './api/live.ts'
import { LiveContext } from './api/use-live.ts'
import { CrewDashboard } from './features/crew/crew-dashboard.tsx'
import { LateMessages, loadMessages } from './late-messages.tsx'

/** Every frame is checked against the contract, once the checker has come: requests do not wait for it. */
let check: (value: unknown) => value is ServerMessage = (value): value is ServerMessage =>
  typeof value === 'object' && value !== null && 'type' in value

const isMessage = (value: unknown): value is ServerMessage => check(value)

async function loadChecker(): Promise<void> {
  const { isServerMessage } = await import('./live-checker.ts')
  check = isServerMessage
}

/** The Crew Dashboard on the page's one live channel. */
export function Crew(): JSX.Element {
  const [live] = useState(() => new Live({ isMessage }))
  useEffect(() => {
    // Fetched while somebody chooses a name; should it fail, the panel tries again itself.
    loadMessages().catch(() => undefined)
    loadChecker().catch(() => undefined)
  }, [])
  return (
    <LiveContext value={live}>
      <CrewDashboard messages={messagesOf} />
    </LiveContext>
  )
}

const messagesOf = (me: CrewMember, restaurantId: string): JSX.Element => (
  <LateMessages key={me.id} me={me} restaurantId={restaurantId} />
)
