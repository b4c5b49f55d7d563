import { type JSX, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { nameKey } from '#contract/primitives.ts'
import { barrierMessages, serviceTypeLabels } from '#contract/requests.ts'
import type { GuestPage } from '#contract/visits.ts'
import type { LiveChannel } from '../../api/live-channel.ts'
import { useNow } from '../../lib/use-now.ts'
import { Confirmation } from './confirmation.tsx'
import type { Place } from './guest-flow.ts'
import { Notice } from './notice.tsx'
import type { Outbox } from './outbox.ts'
import { RequestList } from './request-list.tsx'
import { ScanStep } from './scan-step.tsx'
import { ServiceMenu } from './service-menu.tsx'
import { SessionExpired } from './session-expired.tsx'
import { TableEntry } from './table-entry.tsx'
import { requestStatusWithCount } from './table-requests.ts'
import { noopSubscribe } from './use-connectivity.ts'
import { type Guest, useGuest } from './use-guest.ts'

const crewOfflineText = 'The staff screen is offline right now. Please wave to your waiter.'

type GuestAppProps = {
  page: GuestPage
  /** Both are missing where the server renders the page. */
  outbox?: Outbox | undefined
  live?: LiveChannel | undefined
}

export function GuestApp({ page, outbox, live }: GuestAppProps): JSX.Element {
  const guest = useGuest(page, outbox, live)
  const { flow, notice } = guest
  // Here rather than in the menu, which is mounted again after each request.
  const [clockSkewMs] = useState(() => page.now - Date.now())
  const place = 'place' in flow ? flow.place : null
  return (
    <>
      {place && <TableHeader place={place} page={page} />}
      {notice && <Notice {...notice} />}
      <Step guest={guest} page={page} clockSkewMs={clockSkewMs} />
      <Announcements guest={guest} />
    </>
  )
}

type StepProps = {
  guest: Guest
  page: GuestPage
  /** By how much the server's clock is ahead of this device's, which may be wrong by minutes. */
  clockSkewMs: number
}

function Step({ guest, page, clockSkewMs }: StepProps): JSX.Element {
  const { flow } = guest
  const takesFocus = useHydrated()
  switch (flow.step) {
    case 'qr-scan':
      return (
        <ScanStep
          takesFocus={takesFocus}
          problem={guest.scanProblem}
          onProblem={guest.setScanProblem}
          onScanned={(content) => void guest.scanned(content)}
          onManual={guest.enterManually}
        />
      )
    case 'table-entry':
      return (
        <TableEntry
          takesFocus={takesFocus}
          restaurantId={flow.restaurantId}
          k={flow.k}
          problem={flow.problem}
          entered={{
            restaurantId: page.given.restaurantId ?? 'default',
            tableNumber: page.given.tableNumber ?? '',
          }}
          onContinue={guest.enter}
          onBack={page.given.restaurantId === null ? guest.backToScan : undefined}
        />
      )
    case 'service-selection':
      return <Menu {...{ guest, page, clockSkewMs }} place={flow.place} />
    case 'confirmation':
      return (
        <Confirmation
          takesFocus={takesFocus}
          place={flow.place}
          serviceType={flow.serviceType}
          onAnother={guest.sendAnother}
        >
          <UnreachableNotice guest={guest} />
        </Confirmation>
      )
    case 'expired':
      return <SessionExpired takesFocus={takesFocus} place={flow.place} onReset={guest.reset} />
  }
}

function Menu({ guest, page, clockSkewMs, place }: StepProps & { place: Place }): JSX.Element {
  const hydrated = useHydrated()
  const deviceTime = useNow(1000)
  const now = hydrated ? deviceTime + clockSkewMs : page.now
  return (
    <ServiceMenu
      place={place}
      formId={page.formId}
      takesFocus={hydrated}
      barrier={guest.table.barrier}
      onScan={guest.backToScan}
    >
      <UnreachableNotice guest={guest} />
      <RequestList
        place={place}
        sending={guest.sending}
        table={guest.table}
        isMine={hydrated ? guest.isMine : (id) => page.mine.includes(id)}
        isLate={(request) => guest.isLate(request, now)}
        onDoneSeen={guest.doneSeen}
        onAction={guest.act}
      />
    </ServiceMenu>
  )
}

function UnreachableNotice({ guest }: { guest: Guest }): JSX.Element | null {
  const reason = unreachableReason(guest)
  return reason === null ? null : <p className="offline">{reason}</p>
}

/** Without a connection it is unknown whether a staff screen is listening. A barrier already tells what to do. */
const unreachableReason = ({ disconnected, table }: Guest): string | null =>
  disconnected ?? (table.listening || table.barrier !== null ? null : crewOfflineText)

function TableHeader({ place, page }: { place: Place; page: GuestPage }): JSX.Element {
  const { restaurantId, tableNumber } = page.given
  const isLinked = place.restaurantId === restaurantId
  const restaurant = isLinked
    ? page.restaurantName
    : nameKey(place.restaurantId) === 'default'
      ? null
      : place.restaurantId
  const table = isLinked && place.tableNumber === tableNumber ? page.tableNumber : place.tableNumber
  return (
    <header>
      <span>{restaurant}</span>
      <b className="badge">Table {table ?? place.tableNumber}</b>
    </header>
  )
}

function Announcements({ guest }: { guest: Guest }): JSX.Element {
  const { table, sending } = guest
  const unreachable = unreachableReason(guest) ?? ''
  const statuses = useMemo(
    () =>
      new Map([
        ...sending.map((tap) => [tap.id, `${serviceTypeLabels[tap.serviceType]}: Sending…`] as const),
        ...table.open.map(
          (request) =>
            [
              request.id,
              `${serviceTypeLabels[request.serviceType]}: ${requestStatusWithCount(request)}`,
            ] as const,
        ),
        ...table.done.map(
          (request) => [request.id, `${serviceTypeLabels[request.serviceType]}: Done`] as const,
        ),
        ['unreachable', unreachable] as const,
        ['barrier', table.barrier ? barrierMessages[table.barrier] : ''] as const,
      ]),
    [table, sending, unreachable],
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
