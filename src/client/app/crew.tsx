import { useQueryClient } from '@tanstack/react-query'
import { type JSX, memo, useCallback, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useSearch } from 'wouter'
import type { ServerMessage } from '#contract/live.ts'
import { probeServer } from '../api/http.ts'
import { LiveChannel } from '../api/live/live-channel.ts'
import { LiveContext } from '../api/live/use-live.ts'
import { useErasure, useOpensPortals } from '../api/session.ts'
import { CrewDashboard, type MessagesSlot, type RoleCallsSlot } from '../features/crew/crew-dashboard.tsx'
import { isKeptPage } from '../lib/browser/page-settings.ts'
import { reloadOutdatedPage } from '../lib/browser/reload-outdated-page.ts'
import { lazyPage, lazyPart, preloadLazyParts } from '../lib/hooks/lazy.tsx'
import { t } from '../lib/texts/translate.ts'
import { Spinner } from '../ui/page/spinner.tsx'
import type * as KeptCrew from './kept-crew.ts'

let keptCrew: typeof KeptCrew | null = null

/** Opened without the server: what the device kept comes before everything else. */
export async function loadCrew(): Promise<typeof Crew> {
  if (isKeptPage()) keptCrew = await import('./kept-crew.ts')
  return Crew
}

const WallDisplay = lazyPage(async () => (await import('../features/crew/wall/wall-display.tsx')).WallDisplay)

const OwnerNavigation = lazyPart(
  async () => (await import('./owners/owner-navigation.tsx')).OwnerNavigationOfCrewScreen,
  { preload: false },
)

const ClockCheck = lazyPart(async () => (await import('../features/crew/device/clock-check.ts')).ClockCheck)

const DeletedRestaurant = lazyPart(
  async () => (await import('./owners/deleted-restaurant.tsx')).DeletedRestaurant,
  { preload: false },
)

const LazyMessagesPanel = lazyPart(
  async () => (await import('../features/messages/messages-panel.tsx')).MessagesPanel,
  {
    fallback: (failed) => (
      <section aria-label={t('Messages')}>
        {failed ? <p className="text-text-mute">{t('Messages could not be loaded yet.')}</p> : <Spinner />}
      </section>
    ),
  },
)

const RoleCallTickets = lazyPart(
  async () => (await import('../features/messages/role-call-tickets.tsx')).RoleCallTickets,
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
function Crew(): JSX.Element {
  const [starts, setStarts] = useState(0)
  const restart = useCallback(() => flushSync(() => setStarts((before) => before + 1)), [])
  useEffect(() => {
    loadMessageGuard().catch(() => undefined)
  }, [])
  const eraseAt = useErasure()
  return eraseAt === null ? (
    <WithLiveChannel key={starts} onRestart={restart} />
  ) : (
    <DeletedRestaurant eraseAt={eraseAt} />
  )
}

type RestartProps = { onRestart: () => void }

function WithLiveChannel({ onRestart }: RestartProps): JSX.Element {
  const client = useQueryClient()
  const [live] = useState(() => {
    const kept = keptCrew?.restoreLastList(client) ?? null
    const channel = new LiveChannel({ isMessage, probeServer, onOutdated: reloadOutdatedPage, kept })
    keptCrew?.refetchOnReturn(client, channel)
    return channel
  })
  const isDisplay = new URLSearchParams(useSearch()).has('display')
  return (
    <LiveContext value={live}>
      {isDisplay ? <WallDisplay /> : <Dashboard onRestart={onRestart} />}
      <ClockCheck />
    </LiveContext>
  )
}

function Dashboard({ onRestart }: RestartProps): JSX.Element {
  const opensPortals = useOpensPortals()
  useEffect(() => {
    // Messages come first: they are in view as soon as somebody has chosen a name.
    void LazyMessagesPanel.load()
      .catch(() => undefined)
      .then(preloadLazyParts)
  }, [])
  return (
    <>
      {opensPortals && <OwnerNavigation />}
      <CrewDashboard messages={renderMessages} roleCalls={renderRoleCalls} onRestart={onRestart} />
    </>
  )
}

const renderMessages = (slot: MessagesSlot): JSX.Element => <Messages key={slot.me.id} {...slot} />

const renderRoleCalls = (slot: RoleCallsSlot): JSX.Element => <RoleCallTickets {...slot} />
