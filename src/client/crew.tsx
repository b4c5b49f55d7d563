import { type JSX, useState } from 'react'
import * as v from 'valibot'
import { ServerMessage } from '#contract/live.ts'
import { Live } from './api/live.ts'
import { LiveContext } from './api/use-live.ts'
import { CrewDashboard } from './features/crew/crew-dashboard.tsx'

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)

/** The Crew Dashboard on the page's one live channel. */
export function Crew(): JSX.Element {
  const [live] = useState(() => new Live({ isMessage }))
  return (
    <LiveContext value={live}>
      <CrewDashboard />
    </LiveContext>
  )
}
