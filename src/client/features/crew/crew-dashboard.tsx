import House from 'lucide-react/icons/house'
import { type JSX, type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { CrewMember } from '#contract/crew.ts'
import type { PersonRef } from '#contract/requests.ts'
import type { Break } from '#contract/shift.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Page } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { afterPaint } from '../../lib/after-paint.ts'
import { NavigationBar, type DashboardView } from './navigation-bar.tsx'
import { ConnectionStatus } from './connection-status.tsx'
import { CrewPicker, NameButton, PinPrompt } from './picker/crew-picker.tsx'
import { lazyPart, useLazyDialog } from '../../lib/lazy.tsx'
import { MyShift } from './shift/my-shift.tsx'
import { RequestList } from './requests/request-list.tsx'
import { DeviceStatusButton } from './device/device-status-button.tsx'
import type { Command } from './requests/shortcuts.ts'
import { useBreaks } from './shift/use-breaks.ts'
import { useLiveContexts } from './use-live-contexts.ts'
import { isSignedInAs, useCrewMember, useMyTables, useScreenSession } from './picker/use-crew-member.ts'
import { useMessageSound } from './device/message-tune.ts'
import { type Shift, useShift } from './shift/use-shift.ts'
import { anonymousCrew } from './requests/use-requests.ts'
import { useShortcuts } from './requests/use-shortcuts.ts'
import { useChime } from './device/use-chime.ts'
import { useLoginRedirect } from './use-login-redirect.ts'

const ShiftCard = lazyPart(async () => (await import('./shift/shift-card.tsx')).ShiftCard)
const ShortcutsDialog = lazyPart(
  async () => (await import('./requests/shortcuts-dialog.tsx')).ShortcutsDialog,
)

const OwnFiguresDialog = lazyPart(
  async () => (await import('./shift/own-figures-dialog.tsx')).OwnFiguresDialog,
)

export type MessagesSlot = {
  me: CrewMember
  restaurantId: string
  /** The tables of `me` today. */
  tables: readonly string[]
  onUnread: (count: number) => void
}

export type CrewDashboardProps = {
  /** The messages panel of the crew member at this screen. */
  messages?: (slot: MessagesSlot) => ReactNode
  /** Starts over at once, on a new channel on which no crew member is chosen. */
  onRestart?: () => void
}

export function CrewDashboard({ messages, onRestart }: CrewDashboardProps): JSX.Element {
  const signedIn = useScreenSession()
  const { restaurantId } = signedIn
  const picker = useCrewMember(signedIn)
  const { member, flow } = picker
  const confirmed = flow.step === 'chosen' ? member : null
  const tables = useMyTables(restaurantId, flow.step === 'chosen' ? flow.crewMemberId : null)
  const myTables = useMemo(() => new Set(tables), [tables])
  const me = useMemo<PersonRef>(
    () => (member ? { id: member.id, name: member.name } : anonymousCrew),
    [member],
  )

  const audio = useChime()
  const shift = useShift(confirmed?.id ?? null, flow.step === 'asking' || flow.step === 'pin', audio)
  const breaks = useBreaks()
  const onBreak = breaks.all.some(({ crewMemberId }) => crewMemberId === confirmed?.id)
  const covering = useMemo(
    () => coveredNames(breaks.all, picker.crew, confirmed?.id),
    [breaks.all, picker.crew, confirmed?.id],
  )
  useMessageSound(audio.chime, confirmed)
  useLiveContexts(restaurantId, { sound: audio.sound === 'on', push: shift.push.state === 'on' })
  useLoginRedirect(picker.authorized)

  const [unread, setUnread] = useState(0)
  const panel =
    confirmed &&
    restaurantId !== null &&
    messages?.({ me: confirmed, restaurantId, tables, onUnread: setUnread })
  const { view, setView, shownIn, panelArea, showMessages } = useDashboardView(Boolean(panel))
  const shortcuts = useShortcutsDialog(showMessages)
  const hasOwnLogin = confirmed !== null && isSignedInAs(confirmed, signedIn)
  const end = useEndShift(shift.end, hasOwnLogin, onRestart)

  return (
    <Page
      theme="dark"
      compact
      title="Crew Dashboard"
      documentTitle={null}
      subtitle={<Subtitle member={member} onBreak={onBreak} />}
      actions={<Actions shift={shift} onShortcuts={shortcuts.open} />}
      bar={<NavigationBar view={view} onView={setView} unread={panel ? unread : null} />}
    >
      {(confirmed || shift.flow.card !== 'none') && <ShiftCard shift={shift} />}
      <div
        className={classNames(
          'grid grid-cols-1 items-start gap-6',
          panel || !member
            ? 'lg:grid-cols-[15rem_minmax(0,1fr)_15rem] xl:grid-cols-[18rem_minmax(0,1fr)_22rem]'
            : 'lg:grid-cols-[15rem_minmax(0,1fr)] xl:grid-cols-[18rem_minmax(0,1fr)]',
        )}
      >
        <div className={shownIn('me')}>
          <CrewPicker picker={picker} tables={tables}>
            {confirmed && (
              <MyShift me={confirmed} crew={picker.crew} shift={shift} breaks={breaks} onEnd={end} />
            )}
            {hasOwnLogin && <OwnFigures />}
          </CrewPicker>
        </div>
        <div className={classNames('flex min-w-0 flex-col gap-4', shownIn('requests'))}>
          {flow.step === 'nobody' && (
            <div className="lg:hidden">
              <NameButton picker={picker} wide />
            </div>
          )}
          <RequestList me={me} myTables={myTables} covering={covering} {...audio} />
        </div>
        {panel && (
          <div ref={panelArea} className={shownIn('messages')}>
            {panel}
          </div>
        )}
        {!member && (
          <div className={shownIn('me')}>
            <Card>
              <p className="text-text-mute">Select your name to access team messaging</p>
            </Card>
          </div>
        )}
      </div>
      <PinPrompt picker={picker} />
      {shortcuts.dialog}
    </Page>
  )
}

function Subtitle({ member, onBreak }: { member: CrewMember | null; onBreak: boolean }): JSX.Element {
  return (
    <span className="flex gap-x-2 sm:flex-wrap">
      <ConnectionStatus />
      {member && (
        <span className="max-sm:truncate">
          · {`${member.name}, ${member.role}`}
          {onBreak && ' · on a break'}
        </span>
      )}
    </span>
  )
}

function Actions(props: { shift: Shift; onShortcuts: () => void }): JSX.Element {
  const [, navigate] = useLocation()
  return (
    <>
      <DeviceStatusButton {...props} />
      <Button variant="quiet" icon={<House aria-hidden />} onClick={() => navigate('/portal-selection')}>
        <span className="max-sm:sr-only">Home</span>
      </Button>
    </>
  )
}

type View = {
  view: DashboardView
  setView: (view: DashboardView) => void
  /** The class of an area that belongs to these sections. */
  shownIn: (...views: DashboardView[]) => string
  panelArea: RefObject<HTMLDivElement | null>
  /** Shows the messages and focuses their first field. */
  showMessages: () => void
}

/** Which section is shown where only one fits. */
function useDashboardView(hasMessages: boolean): View {
  const [wantedView, setView] = useState<DashboardView>('requests')
  const panelArea = useRef<HTMLDivElement>(null)
  // Messages need a chosen name, which may be asked for again while they are open.
  const view = wantedView === 'messages' && !hasMessages ? 'requests' : wantedView
  const showMessages = useCallback(() => {
    const focus = (): void => panelArea.current?.querySelector<HTMLElement>('input, textarea')?.focus()
    setView('messages')
    focus()
    // A section that was hidden is rendered in the next frame.
    if (!panelArea.current?.contains(document.activeElement)) afterPaint(focus)
  }, [])
  return {
    view,
    setView,
    shownIn: (...views) => (views.includes(view) ? '' : 'max-lg:hidden'),
    panelArea,
    showMessages,
  }
}

function coveredNames(
  breaks: readonly Break[],
  crew: readonly CrewMember[],
  me: string | undefined,
): readonly string[] {
  return breaks
    .filter(({ coverId }) => coverId === me)
    .map(({ crewMemberId }) => crew.find(({ id }) => id === crewMemberId)?.name ?? 'a colleague')
}

/** The list of shortcuts, opened by its own key or by a button. */
function useShortcutsDialog(showMessages: () => void): { open: () => void; dialog: ReactNode } {
  const { mounted, show, props } = useLazyDialog()
  useShortcuts(
    useCallback(
      ({ type }: Command) => {
        if (type === 'help') show()
        else if (type === 'messages') showMessages()
        else return false
        return true
      },
      [show, showMessages],
    ),
  )
  return { open: show, dialog: mounted && <ShortcutsDialog {...props} /> }
}

/** Signs out a crew member with their own login; a restaurant device waits for the next name. */
function useEndShift(end: () => Promise<void>, hasOwnLogin: boolean, onRestart?: () => void): () => void {
  const { toast } = useToast()
  const [, navigate] = useLocation()
  return useCallback(() => {
    void end().then(() => {
      if (hasOwnLogin) return navigate('/api/logout')
      // First, so that no alert of the old shift takes the place of the toast.
      onRestart?.()
      toast({ title: 'Shift ended', description: 'Alerts on this phone are off.' })
    })
  }, [end, hasOwnLogin, navigate, toast, onRestart])
}

/** Only for crew members with their own login: choosing a name does not prove identity. */
function OwnFigures(): JSX.Element {
  const dialog = useLazyDialog()
  return (
    <>
      <Button wide aria-haspopup="dialog" onClick={dialog.show}>
        My figures
      </Button>
      {dialog.mounted && <OwnFiguresDialog {...dialog.props} />}
    </>
  )
}
