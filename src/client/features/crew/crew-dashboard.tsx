import Bell from 'lucide-react/icons/bell'
import House from 'lucide-react/icons/house'
import MessageSquare from 'lucide-react/icons/message-square'
import User from 'lucide-react/icons/user'
import { type JSX, type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { CrewMember } from '#contract/crew.ts'
import type { By } from '#contract/requests.ts'
import { useConnection, useLive } from '../../api/use-live.ts'
import { useLater } from '../../lib/later.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Page } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ConnectionState } from './connection-state.tsx'
import { CrewPicker, NameButton, PinPrompt } from './crew-picker.tsx'
import { RequestList } from './request-list.tsx'
import { SoundButton } from './sound-button.tsx'
import { useAlerts } from './use-alerts.ts'
import { useCrewMember, useMyTables, useSignedIn } from './use-crew-member.ts'
import { type Act, useRequests } from './use-requests.ts'
import { useSound } from './use-sound.ts'

type View = 'me' | 'requests' | 'messages'

export type CrewDashboardProps = {
  /** The team messaging panel of the crew member who works at this screen. */
  messages?: (me: CrewMember, restaurantId: string) => ReactNode
}

const crew: By = { id: null, name: 'Crew' }

export function CrewDashboard({ messages }: CrewDashboardProps): JSX.Element {
  const signedIn = useSignedIn()
  const { restaurantId } = signedIn
  const picker = useCrewMember(signedIn)
  const { member, flow } = picker
  const confirmed = flow.step === 'chosen' ? member : null
  const tables = useMyTables(restaurantId, flow.step === 'chosen' ? flow.crewMemberId : null)
  const myTables = useMemo(() => new Set(tables), [tables])
  const me = useMemo<By>(() => (member ? { id: member.id, name: member.name } : crew), [member])

  const requests = useRequests(me)
  const { chime, sound } = useSound()
  const { holdToasts } = useAlerts({
    open: requests.loaded ? requests.open : null,
    me: me.id,
    chime,
    sound,
  })
  const act = useActWithUndo(requests.act, holdToasts)
  useContexts(restaurantId, sound === 'on')
  useUnauthorized(picker.authorized)

  const [view, setView] = useState<View>('requests')
  const panel = confirmed && restaurantId !== null && messages?.(confirmed, restaurantId)
  const shownIn = (...views: View[]): string => (views.includes(view) ? '' : 'max-lg:hidden')
  const [, navigate] = useLocation()
  return (
    <Page
      ground="dark"
      title="Crew Dashboard"
      documentTitle={`(${requests.open.length}) Crew Dashboard`}
      subtitle={
        <span className="flex flex-wrap gap-x-2">
          <ConnectionState />
          {member && <span>· {`${member.name}, ${member.role}`}</span>}
        </span>
      }
      actions={
        <>
          <SoundButton chime={chime} sound={sound} />
          <Button variant="quiet" icon={<House aria-hidden />} onClick={() => navigate('/portal-selection')}>
            <span className="max-sm:sr-only">Home</span>
          </Button>
        </>
      }
      bar={<Bar view={view} onView={setView} hasMessages={Boolean(panel)} />}
    >
      <div
        className={classNames(
          'grid items-start gap-6',
          panel || !member
            ? 'lg:grid-cols-[15rem_minmax(0,1fr)_15rem] xl:grid-cols-[18rem_minmax(0,1fr)_22rem]'
            : 'lg:grid-cols-[15rem_minmax(0,1fr)] xl:grid-cols-[18rem_minmax(0,1fr)]',
        )}
      >
        <div className={shownIn('me')}>
          <CrewPicker picker={picker} tables={tables} />
        </div>
        <div className={classNames('flex flex-col gap-4', shownIn('requests'))}>
          {flow.step === 'nobody' && (
            <div className="lg:hidden">
              <NameButton picker={picker} wide />
            </div>
          )}
          <RequestList
            requests={useMemo(() => ({ ...requests, act }), [requests, act])}
            myTables={myTables}
          />
        </div>
        {panel && <div className={shownIn('messages')}>{panel}</div>}
        {!member && (
          <div className={shownIn('me')}>
            <Card>
              <p className="text-text-mute">Select your name to access team messaging</p>
            </Card>
          </div>
        )}
      </div>
      <PinPrompt picker={picker} />
    </Page>
  )
}

const undoToastMs = 5000

/** Completing says so and offers to take it back. */
function useActWithUndo(act: Act, holdToasts: (ms: number) => void): Act {
  const live = useLive()
  const { toast } = useToast()
  return useCallback(
    (action, request) => {
      act(action, request)
      if (action !== 'complete') return
      holdToasts(undoToastMs)
      const isLive = live.connection.state === 'live'
      afterPaint(() =>
        toast({
          title: `Table ${request.tableNumber} complete`,
          ...(!isLive && { description: 'It will be sent when the connection is back.' }),
          action: { label: 'Undo', onClick: () => act('reopen', request) },
        }),
      )
    },
    [act, live, holdToasts, toast],
  )
}

/** What was tapped shows first; what is said about it comes with the next frame. */
const afterPaint = (work: () => void): void =>
  void requestAnimationFrame(() => {
    setTimeout(work)
  })

/** What the server must know of this screen, and again after every reconnection. */
function useContexts(restaurantId: string | null, sound: boolean): void {
  const live = useLive()
  useEffect(() => {
    if (restaurantId === null) return undefined
    live.setContext({ type: 'set-restaurant-context', restaurantId })
    return () => live.forgetContext('set-restaurant-context')
  }, [live, restaurantId])

  useEffect(() => {
    const tell = (): void =>
      live.setContext({ type: 'listening', sound, push: false, visible: !document.hidden })
    tell()
    document.addEventListener('visibilitychange', tell)
    return () => {
      document.removeEventListener('visibilitychange', tell)
      live.forgetContext('listening')
    }
  }, [live, sound])
}

function useUnauthorized(authorized: boolean): void {
  const { toast } = useToast()
  const later = useLater()
  const [, navigate] = useLocation()
  const connection = useConnection()
  const refused = !authorized || connection.state === 'signed-out'
  useEffect(() => {
    if (!refused) return
    toast({
      title: 'Unauthorized',
      description: 'Please log in to access this page.',
      destructive: true,
    })
    later(1000, () => navigate('/restaurant-login'))
  }, [refused, toast, later, navigate])
}

function Bar({
  view,
  onView,
  hasMessages,
}: {
  view: View
  onView: (view: View) => void
  hasMessages: boolean
}): JSX.Element {
  const items = [
    { name: 'me', label: 'Me', Icon: User },
    { name: 'requests', label: 'Requests', Icon: Bell },
    ...(hasMessages ? [{ name: 'messages', label: 'Messages', Icon: MessageSquare } as const] : []),
  ] as const
  return (
    <nav aria-label="Sections" className="mx-auto flex max-w-3xl">
      {items.map(({ name, label, Icon }) => (
        <button
          key={name}
          type="button"
          aria-current={name === view ? 'page' : undefined}
          onClick={() => onView(name)}
          className="flex min-h-18 flex-1 flex-col items-center justify-center gap-1 text-base text-text-mute select-none aria-[current]:text-text focus-visible:-outline-offset-4"
        >
          <Icon aria-hidden />
          {label}
        </button>
      ))}
    </nav>
  )
}
