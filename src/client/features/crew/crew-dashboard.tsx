import './crew.css'
import { type JSX, type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { Break } from '#contract/crew/shift.ts'
import type { PersonRef } from '#contract/requests/requests.ts'
import { useClearedNotifications } from '../../api/use-push.ts'
import { removeLastKnown } from '../../lib/browser/browser-storage.ts'
import { afterPaint } from '../../lib/hooks/after-paint.ts'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { useMedia } from '../../lib/hooks/use-media.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { SkipLink, usePageFrame } from '../../ui/page/page.tsx'
import { useToast } from '../../ui/toast/toast.tsx'
import { useRootAttribute } from '../../ui/use-root-attribute.ts'
import { useIsLost } from './connection-status.tsx'
import { coversBottom } from './covers.ts'
import { CrewHeader } from './crew-header.tsx'
import { useMessageSound } from './device/message-tune.ts'
import { useAlarmSet, useChime } from './device/use-chime.ts'
import type { Command } from './gestures/shortcuts.ts'
import { useShortcuts } from './gestures/use-shortcuts.ts'
import { NavigationBar, type DashboardView } from './navigation-bar.tsx'
import { CrewPicker, NameButton, PinPrompt, useNameDrawer } from './picker/crew-picker.tsx'
import { selectedMemberId } from './picker/picker-flow.ts'
import { isSignedInAs, useCrewMember, useMyTables, useScreenSession } from './picker/use-crew-member.ts'
import { RequestList } from './requests/request-list.tsx'
import { RequestsProvider } from './requests/requests-provider.tsx'
import { anonymousCrew } from './requests/use-requests.ts'
import { useBreaks } from './shift/use-breaks.ts'
import { useShift } from './shift/use-shift.ts'
import { useLiveContexts } from './use-live-contexts.ts'
import { useLoginRedirect } from './use-login-redirect.ts'

const ShiftCard = lazyPart(async () => (await import('./shift/shift-card.tsx')).ShiftCard)
const RecentlyCompleted = lazyPart(
  async () => (await import('./requests/recently-completed.tsx')).RecentlyCompleted,
)
const MyTables = lazyPart(async () => (await import('./tables/my-tables.tsx')).MyTables)
const AlertsButton = lazyPart(async () => (await import('./device/alerts-button.tsx')).AlertsButton)
const MyShift = lazyPart(async () => (await import('./shift/my-shift.tsx')).MyShift)
const ShortcutsDialog = lazyPart(
  async () => (await import('./gestures/shortcuts-dialog.tsx')).ShortcutsDialog,
)

const IgnoreSecondTaps = lazyPart(
  async () => (await import('../../lib/browser/second-taps.ts')).IgnoreSecondTaps,
)
const ScrollPadding = lazyPart(async () => (await import('./scroll-padding.ts')).ScrollPadding)
const KeepAlive = lazyPart(async () => (await import('./device/keep-alive.ts')).KeepAlive)
const OfflineBanner = lazyPart(async () => (await import('./offline/offline-banner.tsx')).OfflineBanner)
const KeepLastList = lazyPart(async () => (await import('./offline/keep-last-list.ts')).KeepLastList)

const OwnFiguresDialog = lazyPart(
  async () => (await import('./shift/own-figures-dialog.tsx')).OwnFiguresDialog,
)

export type MessagesSlot = {
  me: CrewMember
  /** Whether the server has confirmed that it is `me`. */
  confirmed: boolean
  restaurantId: string
  /** The tables of `me` today. */
  tables: readonly string[]
  onUnread: (count: number) => void
}

export type RoleCallsSlot = {
  me: CrewMember
  /** The calls that `me` leaves to others. */
  declined: ReadonlySet<string>
  onDecline: (id: string) => void
}

export type CrewDashboardProps = {
  /** The tickets of calls to the role of the crew member at this screen. */
  roleCalls?: (slot: RoleCallsSlot) => ReactNode
  /** The messages panel of the crew member at this screen. */
  messages?: (slot: MessagesSlot) => ReactNode
  /** Starts over at once, on a new channel on which no crew member is chosen. */
  onRestart?: () => void
}

const offlineBanner = <OfflineBanner />

const noIds: ReadonlySet<string> = new Set()

export function CrewDashboard({ messages, roleCalls, onRestart }: CrewDashboardProps): JSX.Element {
  const signedIn = useScreenSession()
  const { restaurantId } = signedIn
  const picker = useCrewMember(signedIn)
  const { member, flow } = picker
  const confirmed = flow.step === 'chosen' ? member : null
  const tables = useMyTables(restaurantId, selectedMemberId(flow))
  const myTables = useMemo(() => new Set(tables), [tables])
  const me = useMemo<PersonRef>(
    () => (member ? { id: member.id, name: member.name } : anonymousCrew),
    [member],
  )

  const audio = useChime()
  useAlarmSet(audio.chime)
  const shift = useShift(confirmed?.id ?? null, flow.step === 'asking' || flow.step === 'pin', audio)
  useClearedNotifications('crew')
  const breaks = useBreaks()
  const onBreak = breaks.all.some(({ crewMemberId }) => crewMemberId === confirmed?.id)
  const covering = useCoveredNames(breaks.all, picker.crew, confirmed?.id)
  const { declined, decline } = useDeclinedCalls(me.id)
  useMessageSound(audio.chime, confirmed, declined)
  useLiveContexts(restaurantId, { sound: audio.sound === 'on', push: shift.push.state === 'on' })
  const [unread, setUnread] = useState(0)
  const isConfirmed = confirmed !== null
  const panel = useMemo(
    () =>
      member &&
      restaurantId !== null &&
      messages?.({ me: member, confirmed: isConfirmed, restaurantId, tables, onUnread: setUnread }),
    [member, isConfirmed, restaurantId, messages, tables],
  )
  const { view, setView, away, panelArea, showMessages } = useDashboardView(Boolean(panel))
  const shortcuts = useShortcutsDialog(showMessages)
  const ownLogin = member !== null && isSignedInAs(member, signedIn)
  const hasOwnLogin = confirmed !== null && ownLogin
  useLoginRedirect(picker.authorized, ownLogin)
  const end = useEndShift(shift.end, hasOwnLogin, onRestart)
  const names = useMemo(() => new Map(picker.crew.map(({ id, name }) => [id, name])), [picker.crew])
  const device = { shift, onShortcuts: shortcuts.open }
  const wide = useMedia('(width >= 64rem)')
  const isLost = useIsLost()
  const { openNames, nameDrawer } = useNameDrawer(picker)
  const heading = usePageFrame('dark')
  const content = useRef<HTMLElement>(null)
  useRootAttribute('data-crew', true)

  const calls = useMemo(
    () => confirmed && roleCalls?.({ me: confirmed, declined, onDecline: decline }),
    [confirmed, roleCalls, declined, decline],
  )
  const isNobody = flow.step === 'nobody'
  const nameButton = useMemo(
    () => (isNobody && !wide ? <NameButton picker={picker} onOpen={openNames} /> : null),
    [isNobody, wide, picker, openNames],
  )
  const shiftCard = (confirmed || shift.flow.card !== 'none') && <ShiftCard shift={shift} />
  const myTablesOfToday = member && <MyTables tables={tables} me={member.id} />
  return (
    <RequestsProvider me={me} covering={covering} {...audio} toastsRepeats={wide || view !== 'requests'}>
      <div className="crew" data-offline={isLost || undefined}>
        <SkipLink target={content} />
        <ScrollPadding />
        <IgnoreSecondTaps />
        <CrewHeader {...{ heading, member, onBreak, wide }} {...device} />
        {wide && offlineBanner}
        {shift.flow.started && audio.sound !== 'off' && <KeepAlive />}
        {restaurantId !== null && picker.authorized && (
          <KeepLastList {...{ restaurantId, member, ownLogin, tables }} crew={picker.crew} />
        )}
        <main ref={content} id="content" tabIndex={-1} className="crew-main outline-none">
          {!wide && shiftCard}
          <div className="crew-columns" data-two={(member && !panel) || undefined}>
            <div className="crew-side" data-away={away('me')}>
              {wide && shiftCard}
              <CrewPicker picker={picker}>{wide && myTablesOfToday}</CrewPicker>
              {wide && member && <RecentlyCompleted aside />}
              <div className="crew-side-actions">
                {confirmed && (
                  <MyShift me={confirmed} crew={picker.crew} shift={shift} breaks={breaks} onEnd={end} />
                )}
                <NameButton picker={picker} onOpen={openNames} />
                {hasOwnLogin && <OwnFigures />}
                {!wide && <AlertsButton look="section" {...device} />}
              </div>
              {wide && !member && <RecentlyCompleted aside />}
            </div>
            <div className="crew-rail" data-away={away('requests')}>
              <RequestList
                me={me}
                myTables={myTables}
                names={names}
                wide={wide}
                nameButton={nameButton}
                banner={wide ? null : offlineBanner}
                calls={calls}
              />
              {!wide && (
                <div ref={measureStrip} className="crew-strip">
                  {myTablesOfToday}
                  <RecentlyCompleted aside={false} />
                </div>
              )}
            </div>
            {panel && (
              <div ref={panelArea} className="crew-side" data-away={away('messages')}>
                {panel}
              </div>
            )}
            {!member && (
              <div className="crew-side" data-away={away('me')}>
                <p className="text-text-mute">{t('Select your name to access team messaging')}</p>
              </div>
            )}
          </div>
        </main>
        <NavigationBar view={view} onView={setView} unread={panel ? unread : null} />
        {nameDrawer}
        <PinPrompt picker={picker} />
        {shortcuts.dialog}
      </div>
    </RequestsProvider>
  )
}

/** On a tablet it stays above the bar, and the rail's lower edge and the toasts above it. */
function measureStrip(strip: HTMLDivElement): (() => void) | undefined {
  if (typeof ResizeObserver === 'undefined') return undefined
  const { style } = document.documentElement
  const observer = new ResizeObserver(() => style.setProperty('--strip', `${strip.offsetHeight}px`))
  observer.observe(strip)
  const uncover = coversBottom(strip)
  return () => {
    observer.disconnect()
    uncover?.()
    style.removeProperty('--strip')
  }
}

type View = {
  view: DashboardView
  setView: (view: DashboardView) => void
  /** Marks an area of another section, which only a wide screen shows. */
  away: (of: DashboardView) => true | undefined
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
    away: (of) => of !== view || undefined,
    panelArea,
    showMessages,
  }
}

function useCoveredNames(
  breaks: readonly Break[],
  crew: readonly CrewMember[],
  me: string | undefined,
): readonly string[] {
  return useMemo(
    () =>
      breaks
        .filter(({ coverId }) => coverId === me)
        .map(({ crewMemberId }) => crew.find(({ id }) => id === crewMemberId)?.name ?? t('a colleague')),
    [breaks, crew, me],
  )
}

/** The calls that a crew member leaves to others; another name at this screen leaves none. */
function useDeclinedCalls(me: string | null): {
  declined: ReadonlySet<string>
  decline: (id: string) => void
} {
  const [declined, setDeclined] = useState(noIds)
  const [decliner, setDecliner] = useState(me)
  if (decliner !== me) {
    setDecliner(me)
    setDeclined(noIds)
  }
  const decline = useCallback((id: string) => setDeclined((before) => new Set(before).add(id)), [])
  return { declined, decline }
}

/** The list of shortcuts, opened by its own key or by a button. */
function useShortcutsDialog(showMessages: () => void): { open: () => void; dialog: ReactNode } {
  const { mounted, open, props } = useDialog()
  useShortcuts(
    useCallback(
      ({ type }: Command) => {
        if (type === 'help') open()
        else if (type === 'messages') showMessages()
        else return false
        return true
      },
      [open, showMessages],
    ),
  )
  return { open, dialog: mounted && <ShortcutsDialog {...props} /> }
}

/** Signs out a crew member with their own login; a restaurant device waits for the next name. */
function useEndShift(end: () => Promise<void>, hasOwnLogin: boolean, onRestart?: () => void): () => void {
  const { toast } = useToast()
  const [, navigate] = useLocation()
  return useCallback(() => {
    void end().then(() => {
      removeLastKnown()
      if (hasOwnLogin) return navigate('/api/logout')
      // First, so that no alert of the old shift takes the place of the toast.
      onRestart?.()
      toast({ title: t('Shift ended'), description: t('Alerts on this phone are off.') })
    })
  }, [end, hasOwnLogin, navigate, toast, onRestart])
}

/** Only for crew members with their own login: choosing a name does not prove identity. */
function OwnFigures(): JSX.Element {
  const dialog = useDialog()
  return (
    <>
      <Button wide aria-haspopup="dialog" onClick={() => dialog.open()}>
        {t('My figures')}
      </Button>
      {dialog.mounted && <OwnFiguresDialog {...dialog.props} />}
    </>
  )
}
