import * as v from 'valibot'
import { useCallback, useEffect, useReducer, useState, useSyncExternalStore } from 'react'
import { api } from '#contract/api.ts'
import { ServiceRequest } from '#contract/requests.ts'
import type { GuestPage } from '#contract/visits.ts'
import { ApiError, call, noConnectionText } from '../../api/http.ts'
import type { LiveChannel } from '../../api/live-channel.ts'
import { initialStep } from './initial-step.ts'
import { type GuestState, guestReducer, type Place } from './guest-flow.ts'
import { isOwnRequest, forgetOwnRequest, rememberCodeProof } from './guest-storage.ts'
import { type NoticeText, useNotice } from './notice.tsx'
import type { Tap, Outbox, OutboxEvent } from './outbox.ts'
import type { RequestAction } from './request-list.tsx'
import { invalidCodeNotice, parseScannedCode } from './scanned-code.ts'
import { canRemind, type TableRequests } from './table-requests.ts'
import { focusTitle } from './step-title.tsx'
import { connectivityText, noopSubscribe, useConnectivity } from './use-connectivity.ts'
import { fetchTableRequests, useTableRequests } from './use-table-requests.ts'
import { checkVisit, restartVisit } from './visit.ts'

export type Guest = {
  flow: GuestState
  table: TableRequests
  /** The taps at this table that the server has not answered yet. */
  sending: readonly Tap[]
  /** Why taps cannot be sent right now; null while they can. */
  disconnected: string | null
  notice: NoticeText | null
  scanProblem: string | null
  setScanProblem: (problem: string | null) => void
  enterManually: () => void
  backToScan: () => void
  scanned: (content: string) => Promise<void>
  enter: (entered: { restaurantId: string; tableNumber: string }) => Promise<void>
  act: (action: RequestAction, request: ServiceRequest) => Promise<void>
  /** Whether this device sent the request. Browser only: on the server, `page.mine` has the answer. */
  isMine: (id: string) => boolean
  isLate: (request: ServiceRequest, now: number) => boolean
  doneSeen: (id: string) => void
  sendAnother: () => void
  reset: () => Promise<void>
}

const noTaps: readonly Tap[] = []
const restaurantNotFound = 'Restaurant not found'

/** All guest actions and transitions; the screens only render them. */
export function useGuest(page: GuestPage, outbox: Outbox | undefined, live: LiveChannel | undefined): Guest {
  const [flow, dispatch] = useReducer(guestReducer, page, initialStep)
  const [notice, setNotice] = useNotice(page.refused)
  const [scanProblem, setScanProblem] = useState<string | null>(null)
  const [cancelled, setCancelled] = useState<ReadonlySet<string>>(new Set())
  const [remindedAt, setRemindedAt] = useState<ReadonlyMap<string, number>>(new Map())
  const place = 'place' in flow ? flow.place : null
  const initial = { open: page.requests, done: [], listening: page.listening, barrier: page.barrier }
  const {
    table,
    reachable,
    dispatch: dispatchToTable,
    applyAnswer,
    refresh,
  } = useTableRequests(place, initial, live)
  const waiting = useSyncExternalStore(
    outbox?.subscribe ?? noopSubscribe,
    outbox?.waiting ?? getNoTaps,
    getNoTaps,
  )

  const { restaurantId, tableNumber } = place ?? {}
  useEffect(() => {
    if (restaurantId === undefined || tableNumber === undefined) return
    if (checkVisit({ restaurantId, tableNumber }, Date.now()) === 'expired')
      dispatch({ type: 'visit-expired' })
  }, [restaurantId, tableNumber])

  const handleOutboxEvent = useCallback(
    (event: OutboxEvent): void => {
      for (const button of document.querySelectorAll('[data-tapped]')) button.removeAttribute('data-tapped')
      const { tap } = event
      const isHere = tap.restaurantId === restaurantId && tap.tableNumber === tableNumber
      if (event.type === 'added') return setNotice(null)
      if (event.type === 'refused') {
        if (isHere && (event.code === 'code_required' || event.code === 'table_muted'))
          return dispatchToTable({ type: 'barred', barrier: event.code })
        if (event.code !== 'visit_expired') return setNotice({ text: event.message, persistent: true })
        return isHere ? dispatch({ type: 'visit-expired' }) : undefined
      }
      if (!isHere) return
      const request = v.safeParse(ServiceRequest, event.request)
      if (request.success) applyAnswer(request.output, tap.at)
      if (event.again || !request.success) refresh()
      dispatch({ type: 'stored', serviceType: tap.serviceType })
    },
    [restaurantId, tableNumber, applyAnswer, refresh, setNotice, dispatchToTable],
  )
  useEffect(() => outbox?.subscribeWithReplay(handleOutboxEvent), [outbox, handleOutboxEvent])

  const openTable = async (target: Place): Promise<string | null> => {
    try {
      dispatchToTable({ type: 'snapshot', ...(await fetchTableRequests(target)) })
    } catch (error) {
      return errorText(error)
    }
    if (target.k !== null) rememberCodeProof(target.restaurantId, target.tableNumber, target.k)
    const query = new URLSearchParams({ r: target.restaurantId, t: target.tableNumber })
    history.replaceState(null, '', `/customer?${query.toString()}`)
    dispatch({ type: 'table-found', place: target, visit: checkVisit(target, Date.now()) })
    return null
  }

  const scanned = async (content: string): Promise<void> => {
    const code = parseScannedCode(content)
    if (!code) return setNotice(invalidCodeNotice)
    const problem = code.tableNumber === '' ? null : await openTable(code)
    if (problem === restaurantNotFound) setScanProblem(problem)
    else if (problem !== null || code.tableNumber === '')
      dispatch({ type: 'restaurant-scanned', ...code, problem })
  }

  const enter = async (entered: { restaurantId: string; tableNumber: string }): Promise<void> => {
    const k = flow.step === 'table-entry' ? flow.k : null
    const problem = await openTable({ ...entered, k })
    if (problem !== null) dispatch({ type: 'table-refused', problem })
  }

  const act = async (action: RequestAction, { id }: ServiceRequest): Promise<void> => {
    setNotice(null)
    const since = Date.now()
    try {
      if (action === 'cancel') {
        const { request } = await call(api.requests.cancel, { params: { id } }, { keepalive: true })
        forgetOwnRequest(id)
        setCancelled((before) => new Set(before).add(id))
        if (request) {
          applyAnswer(request, since)
          setNotice({
            text: 'Taken back for you. Somebody else at your table still asks for it.',
            done: true,
          })
        } else dispatchToTable({ type: 'cancelled-here', id })
        return focusTitle()
      }
      const { request, told } = await call(api.requests.stillWaiting, { params: { id } }, { keepalive: true })
      applyAnswer(request, since)
      setRemindedAt((before) => new Map(before).set(id, Date.now()))
      setNotice({ text: reminderText(request, told, table.listening), done: table.listening })
      focusTitle()
    } catch (error) {
      setNotice({ text: errorText(error), persistent: true })
      refresh()
    }
  }

  const sending = waiting.filter(
    (tap) => tap.restaurantId === restaurantId && tap.tableNumber === tableNumber,
  )
  const connectivity = useConnectivity(outbox, reachable)

  return {
    flow,
    table,
    sending,
    disconnected: connectivityText(connectivity, sending.length),
    notice,
    scanProblem,
    setScanProblem,
    enterManually: () => dispatch({ type: 'manual-entry' }),
    backToScan: () => dispatch({ type: 'back-to-scan' }),
    scanned,
    enter,
    act,
    isMine: (id) => isOwnRequest(id) || (page.mine.includes(id) && !cancelled.has(id)),
    isLate: (request, now) =>
      canRemind(request, now) &&
      canRemind({ ...request, timestamp: remindedAt.get(request.id) ?? 0 }, Date.now()),
    doneSeen: useCallback((id) => dispatchToTable({ type: 'done-seen', id }), [dispatchToTable]),
    sendAnother: () => place && dispatch({ type: 'send-another', visit: checkVisit(place, Date.now()) }),
    reset: async () => {
      if (!place || !(await resetVisit(place))) return setNotice({ text: noConnectionText })
      dispatch({ type: 'reset' })
      refresh()
    },
  }
}

const getNoTaps = () => noTaps

/** The crew is alerted at most once a minute, and only if a screen is listening: the text must not promise more. */
function reminderText({ stillWaiting = 1 }: ServiceRequest, told: boolean, listening: boolean): string {
  if (!told) return 'The crew was told less than a minute ago.'
  if (!listening) return 'It is noted, but no staff screen is on. Please wave to your waiter.'
  return stillWaiting > 1
    ? "We told the crew again that you're still waiting."
    : "We told the crew that you're still waiting."
}

const errorText = (error: unknown): string => (error instanceof ApiError ? error.message : noConnectionText)

/**
 * Starts a new visit, on the server first: while the old one is over there, it refuses every tap. It posts the same
 * as the plain form of the button. False: the server was not reached.
 */
async function resetVisit({ restaurantId, tableNumber }: Place): Promise<boolean> {
  const response = await fetch('/customer', {
    method: 'POST',
    credentials: 'include',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'reset', r: restaurantId, t: tableNumber }),
  }).catch(() => null)
  const done = response !== null && (response.ok || response.type === 'opaqueredirect')
  if (done) restartVisit({ restaurantId, tableNumber }, Date.now())
  return done
}
