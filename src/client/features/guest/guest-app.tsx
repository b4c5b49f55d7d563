import Hand from 'lucide-react/icons/hand'
import Pencil from 'lucide-react/icons/pencil'
import {
  type ComponentProps,
  type JSX,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { GuestPage } from '#contract/guests/visits.ts'
import { nameKey } from '#contract/primitives.ts'
import { barrierMessages } from '#contract/requests/requests.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'
import { t } from '../../lib/texts/translate.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { Confirmation } from './confirmation.tsx'
import { entrySteps } from './entry/entry-steps.ts'
import { HiddenPlace } from './entry/place-fields.tsx'
import { knownPlace, type Place } from './guest-flow.ts'
import { LanguageSwitch } from './language-switch.tsx'
import { languageInAddress } from './language.ts'
import { AvailabilityNotice, isUnavailable, unavailableTexts } from './menu/availability.tsx'
import { askedKey, nameOf } from './menu/own-needs.ts'
import { ServiceMenu } from './menu/service-menu.tsx'
import type { ManagerNotes } from './notes/manager-notes.tsx'
import { Notice } from './notice.tsx'
import type { GuestChannel } from './requests/guest-channel.ts'
import { RequestList } from './requests/request-list.tsx'
import { doneShownMs, requestStatusWithCount } from './requests/table-requests.ts'
import { SessionExpired } from './session-expired.tsx'
import type { Outbox } from './taps/outbox.ts'
import { noopSubscribe, type Warning } from './taps/use-connectivity.ts'
import { type Guest, useGuest } from './use-guest.ts'

type GuestAppProps = {
  page: GuestPage
  /** Both are missing where the server renders the page. */
  outbox?: Outbox | undefined
  live?: GuestChannel | undefined
}

export function GuestApp({ page, outbox, live }: GuestAppProps): JSX.Element {
  const guest = useGuest(page, outbox, live)
  const { notice } = guest
  const now = useServerTime(page, showsTime(guest))
  return (
    <>
      <Header guest={guest} page={page} now={now} />
      {notice && <Notice {...notice} />}
      <Step guest={guest} page={page} now={now} />
      <Announcements guest={guest} now={now} />
      {guest.table.done.map(({ id }) => (
        <DoneTimer key={id} id={id} onSeen={guest.doneSeen} />
      ))}
    </>
  )
}

/** Runs on whatever the guest sees: what was done before a new visit is no news in it. */
function DoneTimer({ id, onSeen }: { id: string; onSeen: (id: string) => void }): null {
  useEffect(() => {
    const timer = setTimeout(() => onSeen(id), doneShownMs)
    return () => clearTimeout(timer)
  }, [id, onSeen])
  return null
}

type StepProps = {
  guest: Guest
  page: GuestPage
  /** On the server's clock. */
  now: number
}

const showsTime = ({ table: { open, closedUntil, pauses = [] } }: Guest): boolean =>
  open.length > 0 || closedUntil !== undefined || pauses.length > 0

/** This device's clock may be wrong by minutes. */
function useServerTime(page: GuestPage, isRunning: boolean): number {
  const [clockSkewMs] = useState(() => page.now - Date.now())
  const deviceTime = useNow(1000, isRunning)
  return useHydrated() ? deviceTime + clockSkewMs : page.now
}

function Step({ guest, page, now }: StepProps): JSX.Element | null {
  const { flow } = guest
  const { part } = entrySteps
  const takesFocus = useHydrated()
  switch (flow.step) {
    case 'qr-scan':
    case 'table-entry':
      return part ? (
        <part.EntrySteps
          takesFocus={takesFocus}
          flow={flow}
          given={page.given}
          actions={guest.entryActions}
          onBack={() => void guest.backToScan()}
        />
      ) : null
    case 'service-selection':
      return <Menu {...{ guest, page, now }} place={flow.place} />
    case 'confirmation':
      return (
        <Confirmation
          takesFocus={takesFocus}
          place={flow.place}
          need={nameOf(flow.asked, guest.table.needs)}
          isHeard={guest.table.listening && guest.disconnected === null}
          onAnother={guest.sendAnother}
        >
          <UnreachableNotice guest={guest} now={now} />
        </Confirmation>
      )
    case 'expired':
      return (
        <SessionExpired
          takesFocus={takesFocus}
          place={flow.place}
          ended={page.ended === true || guest.table.barrier === 'visit_expired'}
          onReset={guest.reset}
        >
          {page.notes && <LazyManagerNotes page={page} place={flow.place} table={guest.table} />}
        </SessionExpired>
      )
  }
}

function Menu({ guest, page, now, place }: StepProps & { place: Place }): JSX.Element {
  const hydrated = useHydrated()
  return (
    <ServiceMenu
      needs={guest.table.needs}
      place={place}
      formId={page.formId}
      takesFocus={hydrated}
      barrier={guest.table.barrier}
      asked={new Set([...guest.table.open, ...guest.sending].map(askedKey))}
      isUnavailable={(type) => isUnavailable(guest.table, type, now)}
      onScan={() => void guest.backToScan()}
      // Its texts come with the page.
      card={page.card && guest.table.card}
    >
      {isQuiet(guest, now) && <QuietTable guest={guest} page={page} place={place} />}
      <UnreachableNotice guest={guest} now={now} />
      <AvailabilityNotice table={guest.table} now={now} />
      <RequestList
        place={place}
        sending={guest.sending}
        table={guest.table}
        now={now}
        isMine={hydrated ? guest.isMine : (id) => page.mine.includes(id)}
        canRemind={(request) => guest.canRemind(request, now)}
        onAction={guest.act}
        onWithdraw={guest.disconnected && guest.withdraw}
      />
      {page.notes && (
        <LazyManagerNotes
          page={page}
          place={place}
          table={guest.table}
          canWrite={guest.table.barrier === null}
        />
      )}
    </ServiceMenu>
  )
}

type NotesProps = ComponentProps<typeof ManagerNotes>

/** Only where the owner lets guests write to the manager. */
function LazyManagerNotes(props: NotesProps): JSX.Element {
  const [Notes, setNotes] = useState<typeof ManagerNotes>()
  const { table } = props
  useEffect(() => {
    // What is not loaded is tried again with the table's next news.
    if (!Notes)
      import('./notes/manager-notes.tsx').then(
        (part) => setNotes(() => part.ManagerNotes),
        () => {},
      )
  }, [Notes, table])
  return <div className="notes">{Notes && <Notes {...props} />}</div>
}

function UnreachableNotice({ guest, now }: Pick<StepProps, 'guest' | 'now'>): JSX.Element | null {
  const warning = warningOf(guest, now)
  return (
    warning && (
      <p className="offline">
        <Hand aria-hidden size={40} />
        <span>{warning.problem}</span> <b>{warning.advice}</b>
      </p>
    )
  )
}

/**
 * Without a connection it is unknown whether a staff screen is listening. A barrier already tells what to do, and while
 * the restaurant is closed nobody listens, which matters only to who still waits.
 */
const warningOf = ({ disconnected, table }: Guest, now: number): Warning | null =>
  (table.barrier === 'table_muted' ? null : disconnected) ??
  (table.listening || table.barrier !== null || (isUnavailable(table, 'general', now) && !table.open.length)
    ? null
    : { problem: t('The staff screen is offline right now.'), advice: t('Please wave to your waiter.') })

/** Nothing to tell: the menu shows the table instead. */
const isQuiet = (guest: Guest, now: number): boolean =>
  guest.flow.step === 'service-selection' &&
  guest.table.barrier === null &&
  [guest.table.open, guest.table.done, guest.sending].every((requests) => requests.length === 0) &&
  warningOf(guest, now) === null

function Header({ guest, page, now }: StepProps): JSX.Element {
  const { flow, table } = guest
  const place = 'place' in flow ? flow.place : null
  return (
    <header>
      <span>
        <bdi>{place ? restaurantName(place, page) : page.restaurantName}</bdi>
      </span>
      <LanguageSwitch language={page.language} languages={page.languages} onChoose={guest.leave}>
        <HiddenPlace {...knownPlace(flow, page)} />
        {flow.step === 'table-entry' && <input type="hidden" name="manual" value="1" />}
      </LanguageSwitch>
      {place && !isQuiet(guest, now) && (
        <a className="badge" href={otherTableUrl(place)}>
          <b>{tRich('Table {table}', { table: <bdi>{shownTable(place, table.movedTo, page)}</bdi> })}</b>
          <Pencil aria-hidden size={16} />
          <span className="sr-only">{t('Not your table?')}</span>
        </a>
      )}
    </header>
  )
}

function QuietTable({ guest, page, place }: Omit<StepProps, 'now'> & { place: Place }): JSX.Element {
  const name = shownTable(place, guest.table.movedTo, page)
  const { length } = name
  return (
    <div className="table" data-length={length > 10 ? 'long' : length > 4 ? 'middle' : undefined}>
      <p>
        {tRich('Table {table}', {
          table: (
            <b>
              <bdi>{name}</bdi>
            </b>
          ),
        })}
      </p>
      {guest.table.asking ? (
        <small>{t('Checking with the restaurant…')}</small>
      ) : (
        <a href={otherTableUrl(place)}>{t('Not your table?')}</a>
      )}
    </div>
  )
}

/** Where the guest types the right table of the same restaurant. The code may be one of the whole restaurant. */
const otherTableUrl = ({ restaurantId, tableNumber, k }: Place): string => {
  const fields = { r: restaurantId, from: tableNumber, ...(k !== null && { k }), ...languageInAddress() }
  return `/customer?${new URLSearchParams(fields).toString()}`
}

function restaurantName(place: Place, { given, restaurantName }: GuestPage): string | null {
  if (place.restaurantId === given.restaurantId) return restaurantName
  return nameKey(place.restaurantId) === 'default' ? null : place.restaurantId
}

function shownTable(place: Place, movedTo: string | undefined, page: GuestPage): string {
  const { restaurantId, tableNumber } = page.given
  const isAsLinked = place.restaurantId === restaurantId && place.tableNumber === tableNumber && !page.moved
  return movedTo ?? (isAsLinked ? page.tableNumber : null) ?? place.tableNumber
}

function Announcements({ guest, now }: Pick<StepProps, 'guest' | 'now'>): JSX.Element {
  const { table, sending } = guest
  const warning = warningOf(guest, now)
  const unavailable = unavailableTexts(table, now).join(' ')
  const unreachable = warning ? `${warning.problem} ${warning.advice}` : ''
  const statuses = useMemo(
    () =>
      new Map([
        ...sending.map((tap) => [tap.id, `${nameOf(tap, table.needs)}: ${t('Sending…')}`] as const),
        ...table.open.map(
          (request) =>
            [request.id, `${nameOf(request, table.needs)}: ${requestStatusWithCount(request)}`] as const,
        ),
        ...table.done.map(
          (request) => [request.id, `${nameOf(request, table.needs)}: ${t('Done')}`] as const,
        ),
        ['unreachable', unreachable] as const,
        ['unavailable', unavailable] as const,
        ['barrier', table.barrier ? t(barrierMessages[table.barrier]) : ''] as const,
      ]),
    [table, sending, unreachable, unavailable],
  )
  return (
    <p role="status" className="sr-only">
      {useAnnouncement(statuses)}
    </p>
  )
}

/** False until the server-rendered page is hydrated. */
const useHydrated = (): boolean =>
  useSyncExternalStore(
    noopSubscribe,
    () => true,
    () => false,
  )

/**
 * What a screen reader should announce now: every status that is new or has changed, except the initial ones. It can be
 * read again later, so finished requests disappear from it.
 */
function useAnnouncement(statuses: ReadonlyMap<string, string>): string {
  const [announced, setAnnounced] = useState<readonly (readonly [key: string, status: string])[]>([])
  const previous = useRef<ReadonlyMap<string, string>>(null)
  useEffect(() => {
    const known = previous.current
    previous.current = statuses
    if (!known) return
    const changed = [...statuses].filter(([key, status]) => known.get(key) !== status)
    if (changed.length > 0) setAnnounced(changed)
    else setAnnounced((earlier) => earlier.filter(([key]) => statuses.has(key)))
  }, [statuses])
  return announced.map(([, status]) => status).join('. ')
}
