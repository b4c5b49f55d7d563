import { type JSX, useCallback, useState } from 'react'
import * as v from 'valibot'
import { ServerMessage } from '#contract/live.ts'
import { LiveChannel } from '../api/live-channel.ts'
import { LiveContext } from '../api/use-live.ts'
import { SoundButton } from '../features/crew/device/sound-button.tsx'
import { useChime } from '../features/crew/device/use-chime.ts'
import { ManagementPortal } from '../features/management/management-portal.tsx'

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)

/** The Management Portal on a live channel, with the chime of the crew's screen. */
export function Management(): JSX.Element {
  const [live] = useState(() => new LiveChannel({ isMessage }))
  const { chime, sound } = useChime()
  const ring = useCallback(() => chime.play('again'), [chime])
  return (
    <LiveContext value={live}>
      <ManagementPortal ring={ring} soundButton={<SoundButton chime={chime} sound={sound} />} />
    </LiveContext>
  )
}
