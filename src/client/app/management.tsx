import { type JSX, useCallback, useState } from 'react'
import * as v from 'valibot'
import { api } from '#contract/api.ts'
import { ServerMessage } from '#contract/live.ts'
import { LiveChannel } from '../api/live/live-channel.ts'
import { LiveContext } from '../api/live/use-live.ts'
import { useApiQueryOrNull } from '../api/queries.ts'
import { SoundButton } from '../features/crew/device/sound-button.tsx'
import { useAlarmSet, useChime } from '../features/crew/device/use-chime.ts'
import { ManagementPortal } from '../features/management/management-portal.tsx'
import { reloadOutdatedPage } from '../lib/browser/reload-outdated-page.ts'
import { FindButton } from './commands/find-button.tsx'

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)

/** The Management Portal on a live channel, with the chime of the crew's screen. */
export function Management(): JSX.Element {
  const [live] = useState(() => new LiveChannel({ isMessage, onOutdated: reloadOutdatedPage }))
  return (
    <LiveContext value={live}>
      <PortalWithSound />
    </LiveContext>
  )
}

function PortalWithSound(): JSX.Element {
  const { chime, sound } = useChime()
  useAlarmSet(chime)
  const ring = useCallback(() => chime.play('urgent'), [chime])
  return (
    <ManagementPortal
      ring={ring}
      soundButton={<SoundButton chime={chime} sound={sound} />}
      find={<ManagersFind />}
    />
  )
}

/** Owners have it in their navigation. */
function ManagersFind(): JSX.Element | null {
  const { data } = useApiQueryOrNull(api.accounts.session, {})
  return data?.manager && !data.grants.includes('owner') ? <FindButton who="manager" compact /> : null
}
