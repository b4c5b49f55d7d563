import { type JSX, useState } from 'react'
import * as v from 'valibot'
import { ServerMessage } from '#contract/live.ts'
import { LiveChannel } from '../../api/live/live-channel.ts'
import { LiveContext } from '../../api/live/use-live.ts'
import { TryFirstRequest } from '../../features/owner/first-steps/try-first-request.tsx'

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)

/** With a live channel of its own, which says when the crew's screen has answered. */
export function FirstRequest(): JSX.Element {
  const [live] = useState(() => new LiveChannel({ isMessage }))
  return (
    <LiveContext value={live}>
      <TryFirstRequest />
    </LiveContext>
  )
}
