import { type JSX, useEffect, useState } from 'react'
import * as v from 'valibot'
import type { CrewMember } from '#contract/crew.ts'
import { ServerMessage } from '#contract/live.ts'
import { Live } from './api/live.ts'
import { LiveContext } from './api/use-live.ts'
import { CrewDashboard } from './features/crew/crew-dashboard.tsx'
import { LateMessages, loadMessages } from './late-messages.tsx'

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)

/** The Crew Dashboard on the page's one live channel. */
export function Crew(): JSX.Element {
  const [live] = useState(() => new Live({ isMessage }))
  useEffect(() => {
    // Fetched while somebody chooses a name; should it fail, the panel tries again itself.
    loadMessages().catch(() => undefined)
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
