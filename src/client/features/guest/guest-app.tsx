import { type JSX, useMemo, useState, useSyncExternalStore } from 'react'
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
import { useAnnouncement } from './use-announcement.ts'
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
  // Kept for as long as the page is: the menu goes and comes back with each request.
  const [aheadMs] = useState(() => page.now - Date.now())
  const place = 'place' in flow ? flow.place : null
  return (
    <>
      {place && <TableHeader place={place} page={page} />}
      {notice && <Notice {...notice} />}
      <Step guest={guest} page={page} clockSkewMs={aheadMs} />
      <Announcements guest={guest} />
    </>
  )
}

type StepProps = {
  guest: Guest
  page: GuestPage
  /** What the server's clock is ahead of this device's, which may be wrong by minutes. */
  clockSkewMs: number
}

function Step({ guest, page, clockSkewMs: aheadMs }: StepProps): JSX.Element {
  const { flow } = guest
  const follows = useHydrated()
  switch (flow.step) {
    case 'qr-scan':
      return (
        <ScanStep
          takesFocus={follows}
          problem={guest.scanProblem}
          onProblem={guest.setScanProblem}
          onScanned={(content) => void guest.scanned(content)}
          onManual={guest.enterManually}
        />
      )
    case 'table-entry':
      return (
        <TableEntry
          takesFocus={follows}
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
      return <Menu {...{ guest, page, clockSkewMs: aheadMs }} place={flow.place} />
    case 'confirmation':
      return (
        <Confirmation
          takesFocus={follows}
          place={flow.place}
          serviceType={flow.serviceType}
          onAnother={guest.sendAnother}
        >
          <UnreachableNotice guest={guest} />
        </Confirmation>
      )
    case 'expired':
      return <SessionExpired takesFocus={follows} place={flow.place} onReset={guest.reset} />
  }
}

function Menu({ guest, page, clockSkewMs: aheadMs, place }: StepProps & { place: Place }): JSX.Element {
  const hydrated = useHydrated()
  const deviceTime = useNow(1000)
  const now = hydrated ? deviceTime + aheadMs : page.now
  return (
    <ServiceMenu
      place={place}
      formId={page.formId}
      follows={hydrated}
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
  const why = unreachableReason(guest)
  return why === null ? null : <p className="offline">{why}</p>
}

/**
 * Without a connection nobody knows whether the crew's screens are there. A barrier says all that there is to do.
 */
const unreachableReason = ({ disconnected, table }: Guest): string | null =>
  disconnected ?? (table.listening || table.barrier !== null ? null : crewOfflineText)

function TableHeader({ place, page }: { place: Place; page: GuestPage }): JSX.Element {
  const { restaurantId, tableNumber } = page.given
  const asLinked = place.restaurantId === restaurantId
  const restaurant = asLinked
    ? page.restaurantName
    : nameKey(place.restaurantId) === 'default'
      ? null
      : place.restaurantId
  const table = asLinked && place.tableNumber === tableNumber ? page.tableNumber : place.tableNumber
  return (
    <header>
      <span>{restaurant}</span>
      <b className="badge">Table {table ?? place.tableNumber}</b>
    </header>
  )
}

function Announcements({ guest }: { guest: Guest }): JSX.Element {
  const { table, sending } = guest
  const unheard = unreachableReason(guest) ?? ''
  const standings = useMemo(
    () =>
      new Map([
        ...sending.map((ask) => [ask.id, `${serviceTypeLabels[ask.serviceType]}: Sending…`] as const),
        ...table.open.map(
          (one) => [one.id, `${serviceTypeLabels[one.serviceType]}: ${requestStatusWithCount(one)}`] as const,
        ),
        ...table.done.map((one) => [one.id, `${serviceTypeLabels[one.serviceType]}: Done`] as const),
        ['unheard', unheard] as const,
        ['barrier', table.barrier ? barrierMessages[table.barrier] : ''] as const,
      ]),
    [table, sending, unheard],
  )
  return (
    <p role="status" className="sr-only">
      {useAnnouncement(standings)}
    </p>
  )
}

const noopSubscribe = () => () => {}

/** False while the page is what the server rendered. */
const useHydrated = (): boolean =>
  useSyncExternalStore(
    noopSubscribe,
    () => true,
    () => false,
  )
