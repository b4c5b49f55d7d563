import {
  type Dispatch,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { ErrorCode, RefusalBody } from '#contract/errors.ts'
import type { GuestPage } from '#contract/guests/visits.ts'
import { type Barrier, barrierMessages, type ServiceRequest } from '#contract/requests/requests.ts'
import { noConnectionText } from '../../api/http.ts'
import { t } from '../../lib/texts/translate.ts'
import { hasKey } from './answers.ts'
import { entrySteps } from './entry/entry-steps.ts'
import { focusTitle } from './entry/step-title.tsx'
import type { EntryActions } from './entry/use-table-lookup.ts'
import { correctTable } from './guest-calls.ts'
import { type GuestEvent, type GuestState, guestReducer, initialStep, type Place } from './guest-flow.ts'
import { missingRequest, refusalText } from './language.ts'
import { keepDraft } from './menu/own-needs.ts'
import { leftNotice, noteCutNotice, type NoticeText, useNotice } from './notice.tsx'
import type { GuestChannel } from './requests/guest-channel.ts'
import { availabilityIn, type TableRequests } from './requests/table-requests.ts'
import { type RequestActions, useRequestActions } from './requests/use-request-actions.ts'
import { type TableState, toTableQuery, useTableRequests } from './requests/use-table-requests.ts'
import { rememberOwnRequest } from './taps/guest-storage.ts'
import type { Outbox, OutboxEvent, Tap } from './taps/outbox.ts'
import { connectivityWarning, noopSubscribe, useConnectivity, type Warning } from './taps/use-connectivity.ts'
import { checkVisit, resetVisit } from './visit.ts'

export type Guest = RequestActions & {
  flow: GuestState
  table: TableRequests
  /** The taps at this table that the server has not answered yet. */
  sending: readonly Tap[]
  /** Why taps cannot be sent right now; null while they can. */
  disconnected: Warning | null
  notice: NoticeText | null
  entryActions: EntryActions
  backToScan: () => Promise<void>
  /** Takes back what was not sent yet. */
  withdraw: (tap: Tap) => void
  doneSeen: (id: string) => void
  sendAnother: () => void
  /** Whether the page can be opened again now; otherwise says why not. */
  leave: () => boolean
  reset: () => Promise<void>
}

/** All guest actions and transitions; the screens only render them. */
export function useGuest(page: GuestPage, outbox: Outbox | undefined, live: GuestChannel | undefined): Guest {
  const [flow, dispatch] = useReducer(guestReducer, page, initialStep)
  const [notice, setNotice] = useNotice(
    page.noteCut
      ? noteCutNotice()
      : page.refused && toNotice(page.refused.code, refusalText(page.refused, missingRequest)),
  )
  const place = 'place' in flow ? flow.place : null
  const movedTo = page.moved ? (page.tableNumber ?? undefined) : undefined
  const initial = {
    open: page.requests,
    done: [],
    listening: page.listening,
    asking: page.kept !== undefined,
    barrier: page.barrier,
    movedTo,
    ...availabilityIn(page),
  }
  const tableState = useTableRequests(place, initial, live)
  const { table, reachable, dispatch: dispatchToTable, refresh } = tableState
  const sending = useWaitingTaps(outbox, place, table)
  const connectivity = useConnectivity(outbox, reachable)
  const requestActions = useRequestActions(page.mine, tableState, setNotice)
  useVisitCheck(place, dispatch)
  const isOver = table.expired === true || table.barrier === 'visit_expired'
  useEffect(() => {
    if (!isOver) return
    dispatch({ type: 'visit-expired' })
    // The crew can take back that it closed the table, and another tab can begin a new visit.
    return () => dispatch({ type: 'reset' })
  }, [isOver])
  useMoveNotice(place, table.movedTo, setNotice)
  const { from } = page.given
  useOutboxEvents(outbox, place, { tableState, from, dispatch, setNotice })
  useKnownDevice(page, outbox, live)

  const disconnected = connectivityWarning(connectivity, sending.length)
  return {
    ...requestActions,
    flow,
    table,
    sending,
    disconnected,
    notice,
    entryActions: { from, dispatch, dispatchToTable, setNotice },
    async backToScan() {
      await entrySteps.load?.()
      if (entrySteps.part) dispatch({ type: 'back-to-scan' })
      else setNotice({ text: t(noConnectionText) })
    },
    withdraw(tap) {
      // If it was stored and only the answer was lost, the list has it, and it can be cancelled there.
      rememberOwnRequest(tap.id, tap.at, tap.note)
      outbox?.withdraw(tap)
      focusTitle()
    },
    doneSeen: useCallback((id) => dispatchToTable({ type: 'done-seen', id }), [dispatchToTable]),
    sendAnother: () => place && dispatch({ type: 'send-another', visit: checkVisit(place, Date.now()) }),
    leave() {
      if (disconnected) setNotice({ text: t(noConnectionText) })
      return disconnected === null
    },
    async reset() {
      if (!place || !(await resetVisit(place))) return setNotice({ text: t(noConnectionText) })
      live?.reopen()
      dispatch({ type: 'reset' })
      // What was asked for before is about the visit that is over.
      dispatchToTable({ type: 'visit-started' })
      refresh()
    },
  }
}

/** The menu shows it instead of its tiles. A visit that has lasted for its three hours is none: the crew has not ended it. */
function barrierIn({ code, message }: RefusalBody): Barrier | null {
  if (code === 'code_required' || code === 'table_muted' || code === 'table_closed') return code
  return message === barrierMessages.visit_expired ? 'visit_expired' : null
}

/** The menu says it as long as it is true. */
const isPassing = (code: ErrorCode): boolean => code === 'closed' || code === 'need_paused'

const toNotice = (code: ErrorCode, text: string): NoticeText => ({ text, persistent: !isPassing(code) })

const noTaps: readonly Tap[] = []
const getNoTaps = () => noTaps

const isAt = (
  place: Pick<GuestPage['given'], 'restaurantId' | 'tableNumber'> | null,
  { restaurantId, tableNumber }: Tap,
): boolean => restaurantId === place?.restaurantId && tableNumber === place.tableNumber

function useWaitingTaps(
  outbox: Outbox | undefined,
  place: Place | null,
  { open, done }: Pick<TableRequests, 'open' | 'done'>,
): readonly Tap[] {
  const taps = useSyncExternalStore(
    outbox?.subscribe ?? noopSubscribe,
    outbox?.waiting ?? getNoTaps,
    getNoTaps,
  )
  // A request has the id of its first tap: that one is stored, if only its answer has not come.
  const [stored] = useState(() => new Set<string>())
  return useMemo(() => {
    for (const { id } of [...open, ...done]) stored.add(id)
    return taps.filter((tap) => isAt(place, tap) && !stored.has(tap.id))
  }, [taps, place, open, done, stored])
}

function useVisitCheck(place: Place | null, dispatch: Dispatch<GuestEvent>): void {
  useEffect(() => {
    if (place && checkVisit(place, Date.now()) === 'expired') dispatch({ type: 'visit-expired' })
  }, [place, dispatch])
}

/** Tells the guest when the crew moves the party, and when it takes that back. */
function useMoveNotice(
  place: Place | null,
  movedTo: string | undefined,
  setNotice: (notice: NoticeText | null) => void,
): void {
  const tableNumber = place?.tableNumber
  const known = useRef<{ tableNumber: string | undefined; movedTo?: string | undefined }>({ tableNumber })
  useEffect(() => {
    const before = known.current
    known.current = { tableNumber, movedTo }
    const wasAt = before.tableNumber === tableNumber ? before.movedTo : undefined
    if (tableNumber === undefined || wasAt === movedTo) return
    const text =
      movedTo === undefined
        ? t('You are at table {table} again.', { table: tableNumber })
        : t('Your waiter moved you to table {table}.', { table: movedTo })
    setNotice({ text, done: true })
  }, [tableNumber, movedTo, setNotice])
}

/** The confirmation would take away the menu, and what is written in it. */
const isWriting = (): boolean =>
  [...document.querySelectorAll('textarea')].some(({ value, dataset }) => value !== (dataset['sent'] ?? ''))

/** Nobody promises a waiter while no staff screen listens. */
const sentTexts = (listening: boolean): NoticeText =>
  listening
    ? { title: t('Request Sent!'), text: t('Your waiter will be with you shortly') }
    : { text: t('Sent') }

const isRequest = (value: unknown): value is ServiceRequest =>
  hasKey(value, 'timestamp') && hasKey(value, 'serviceType')

/** The request of the latest tap at the page's table that was answered before the app had loaded. */
export function findAnswered(outbox: Outbox | undefined, { given }: GuestPage): ServiceRequest | null {
  const answers = outbox
    ?.missed()
    .flatMap((event) =>
      event.type === 'stored' && !event.closed && !event.noteCut && isAt(given, event.tap)
        ? event.request
        : [],
    )
  return answers?.findLast(isRequest) ?? null
}

/** Only its first tap may have made the device known, stored or refused, and the channel of a kept page is opened before. */
function useKnownDevice(
  { kept }: GuestPage,
  outbox: Outbox | undefined,
  live: GuestChannel | undefined,
): void {
  useEffect(() => {
    if (kept === undefined) return
    const stop = outbox?.subscribe(({ type }) => {
      if (type === 'added') return
      if (type === 'stored') stop?.()
      live?.reopen()
    })
    return stop
  }, [kept, outbox, live])
}

type TapListener = {
  tableState: TableState
  /** The table that was not theirs. */
  from: string | undefined
  dispatch: Dispatch<GuestEvent>
  setNotice: (notice: NoticeText | null) => void
}

/** Shows what becomes of the taps in the outbox, also of those from before the app had loaded. */
function useOutboxEvents(
  outbox: Outbox | undefined,
  place: Place | null,
  { tableState, from, dispatch, setNotice }: TapListener,
): void {
  const { dispatch: dispatchToTable, applyAnswer, refresh } = tableState
  const isHeard = tableState.table.listening
  /** Something was stored at the wrong table, and perhaps only after the rest was taken along. */
  const leftBehind = useRef(false)
  const bringAlong = useCallback((): void => {
    if (!leftBehind.current || !place || from === undefined) return
    leftBehind.current = false
    correctTable(from, toTableQuery(place)).then(refresh, () => {
      setNotice(leftNotice(from))
      refresh()
    })
  }, [place, from, refresh, setNotice])
  // It may have been stored while the right table was being opened.
  useEffect(bringAlong, [bringAlong])
  const handleEvent = useCallback(
    (event: OutboxEvent): void => {
      for (const button of document.querySelectorAll('[data-tapped]')) button.removeAttribute('data-tapped')
      const { tap } = event
      if (event.type === 'added' || event.type === 'withdrawn') return setNotice(null)
      if (event.type === 'refused') {
        keepDraft(tap)
        if (isPassing(event.code) || event.code === 'visit_expired') refresh()
        const barrier = isAt(place, tap) ? barrierIn(event) : null
        if (barrier) return dispatchToTable({ type: 'barred', barrier })
        if (event.code !== 'visit_expired') return setNotice(toNotice(event.code, refusalText(event)))
        return isAt(place, tap) ? dispatch({ type: 'visit-expired' }) : undefined
      }
      const { noteCut } = event
      if (noteCut) {
        keepDraft(tap)
        setNotice(noteCutNotice())
      }
      if (!isAt(place, tap)) {
        // It was still on its way when the guest left that table.
        if (tap.tableNumber === from) leftBehind.current = true
        return bringAlong()
      }
      const { request, listening = isHeard, closed } = event
      const isWhole = isRequest(request)
      if (closed) {
        if (isWhole) dispatchToTable({ type: 'closed-since', request, cancelled: closed === 'cancelled' })
        return refresh()
      }
      if (isWhole) applyAnswer(request, tap.at, listening)
      if (event.again || !isWhole) refresh()
      if (noteCut) return
      if (isWriting()) setNotice({ ...sentTexts(listening === true), done: true })
      else dispatch({ type: 'stored', asked: isWhole ? request : tap })
    },
    [place, from, isHeard, applyAnswer, refresh, setNotice, dispatch, dispatchToTable, bringAlong],
  )
  // Before the first paint: a tap that was answered before the app had loaded is confirmed by it.
  useLayoutEffect(() => outbox?.subscribeWithReplay(handleEvent), [outbox, handleEvent])
}
