import * as v from 'valibot'
import { useCallback, useEffect, useReducer, useState, useSyncExternalStore } from 'react'
import { api } from '#contract/api.ts'
import { ServiceRequest } from '#contract/requests.ts'
import type { GuestPage } from '#contract/visits.ts'
import { ApiError, call } from '../../api/http.ts'
import type { LiveChannel } from '../../api/live-channel.ts'
import { initialStep } from './initial-step.ts'
import { type GuestState, guestReducer, type Place } from './guest-flow.ts'
import { isOwnRequest, forgetOwnRequest, rememberCodeProof } from './guest-storage.ts'
import { type NoticeText, useNotice } from './notice.tsx'
import type { Tap, Outbox, OutboxEvent } from './outbox.ts'
import type { RequestAction } from './request-list.tsx'
import { resetVisit } from './reset-visit.ts'
import { invalidCodeNotice, parseScannedCode } from './scanned-code.ts'
import { canRemind, type TableRequests } from './table-requests.ts'
import { focusTitle } from './step-title.tsx'
import { connectivityText, useConnectivity } from './use-connectivity.ts'
import { fetchTableRequests, useTableRequests } from './use-table-requests.ts'
import { checkVisit } from './visit.ts'

export type Guest = {
  flow: GuestState
  table: TableRequests
  /** Taps at this table that the server has not answered yet. */
  sending: readonly Tap[]
  /** Why taps do not get through right now; null while they do. */
  disconnected: string | null
  notice: NoticeText | null
  scanProblem: string | null
  setScanProblem: (problem: string | null) => void
  enterManually: () => void
  backToScan: () => void
  scanned: (content: string) => Promise<void>
  enter: (entered: { restaurantId: string; tableNumber: string }) => Promise<void>
  act: (action: RequestAction, request: ServiceRequest) => Promise<void>
  /** Whether this device asks for it. In the browser only: the server knows it from the start. */
  isMine: (id: string) => boolean
  isLate: (request: ServiceRequest, now: number) => boolean
  doneSeen: (id: string) => void
  sendAnother: () => void
  reset: () => Promise<void>
}

const noTaps: readonly Tap[] = []
const noConnectionText = 'No connection to the server. Please check the network and try again.'
const restaurantNotFound = 'Restaurant not found'

/** Everything a guest can do, and where that leads. The screens only show it. */
export function useGuest(page: GuestPage, outbox: Outbox | undefined, live: LiveChannel | undefined): Guest {
  const [flow, go] = useReducer(guestReducer, page, initialStep)
  const [notice, setNotice] = useNotice(page.refused)
  const [scanProblem, setScanProblem] = useState<string | null>(null)
  const [takenBack, setTakenBack] = useState<ReadonlySet<string>>(new Set())
  const [remindedAt, setRemindedAt] = useState<ReadonlyMap<string, number>>(new Map())
  const place = 'place' in flow ? flow.place : null
  const first = { open: page.requests, done: [], listening: page.listening, barrier: page.barrier }
  const {
    table,
    reachable: reached,
    dispatch: tell,
    applyAnswer: answered,
    refresh,
  } = useTableRequests(place, first, live)
  const waiting = useSyncExternalStore(
    outbox?.subscribe ?? noopSubscribe,
    outbox?.waiting ?? getNoTaps,
    getNoTaps,
  )

  const { restaurantId, tableNumber } = place ?? {}
  useEffect(() => {
    if (restaurantId === undefined || tableNumber === undefined) return
    if (checkVisit({ restaurantId, tableNumber }, Date.now()) === 'expired') go({ type: 'visit-expired' })
  }, [restaurantId, tableNumber])

  const hear = useCallback(
    (event: OutboxEvent): void => {
      for (const button of document.querySelectorAll('[data-tapped]')) button.removeAttribute('data-tapped')
      const { tap: ask } = event
      const here = ask.restaurantId === restaurantId && ask.tableNumber === tableNumber
      if (event.type === 'added') return setNotice(null)
      if (event.type === 'refused') {
        if (here && (event.code === 'code_required' || event.code === 'table_muted'))
          return tell({ type: 'barred', barrier: event.code })
        if (event.code !== 'visit_expired') return setNotice({ text: event.message, persistent: true })
        return here ? go({ type: 'visit-expired' }) : undefined
      }
      if (!here) return
      const request = v.safeParse(ServiceRequest, event.request)
      if (request.success) answered(request.output, ask.at)
      if (event.again || !request.success) refresh()
      go({ type: 'stored', serviceType: ask.serviceType })
    },
    [restaurantId, tableNumber, answered, refresh, setNotice, tell],
  )
  useEffect(() => outbox?.subscribeWithReplay(hear), [outbox, hear])

  const open = async (wanted: Place): Promise<string | null> => {
    try {
      tell({ type: 'snapshot', ...(await fetchTableRequests(wanted)) })
    } catch (problem) {
      return errorText(problem)
    }
    if (wanted.k !== null) rememberCodeProof(wanted.restaurantId, wanted.tableNumber, wanted.k)
    const address = new URLSearchParams({ r: wanted.restaurantId, t: wanted.tableNumber })
    history.replaceState(null, '', `/customer?${address.toString()}`)
    go({ type: 'table-found', place: wanted, visit: checkVisit(wanted, Date.now()) })
    return null
  }

  const scanned = async (content: string): Promise<void> => {
    const code = parseScannedCode(content)
    if (!code) return setNotice(invalidCodeNotice)
    const problem = code.tableNumber === '' ? null : await open(code)
    if (problem === restaurantNotFound) setScanProblem(problem)
    else if (problem !== null || code.tableNumber === '') go({ type: 'restaurant-scanned', ...code, problem })
  }

  const enter = async (entered: { restaurantId: string; tableNumber: string }): Promise<void> => {
    const k = flow.step === 'table-entry' ? flow.k : null
    const problem = await open({ ...entered, k })
    if (problem !== null) go({ type: 'table-refused', problem })
  }

  const act = async (action: RequestAction, { id }: ServiceRequest): Promise<void> => {
    setNotice(null)
    const since = Date.now()
    try {
      if (action === 'cancel') {
        const { request } = await call(api.requests.cancel, { params: { id } }, { keepalive: true })
        forgetOwnRequest(id)
        setTakenBack((before) => new Set(before).add(id))
        if (request) {
          answered(request, since)
          setNotice({
            text: 'Taken back for you. Somebody else at your table still asks for it.',
            done: true,
          })
        } else tell({ type: 'cancelled-here', id })
        return focusTitle()
      }
      const { request, told } = await call(api.requests.stillWaiting, { params: { id } }, { keepalive: true })
      answered(request, since)
      setRemindedAt((before) => new Map(before).set(id, Date.now()))
      setNotice({ text: reminderText(request, told, table.listening), done: table.listening })
      focusTitle()
    } catch (problem) {
      setNotice({ text: errorText(problem), persistent: true })
      refresh()
    }
  }

  const sending = waiting.filter(
    (ask) => ask.restaurantId === restaurantId && ask.tableNumber === tableNumber,
  )
  const reach = useConnectivity(outbox, reached)

  return {
    flow,
    table,
    sending,
    disconnected: connectivityText(reach, sending.length),
    notice,
    scanProblem,
    setScanProblem,
    enterManually: () => go({ type: 'manual-entry' }),
    backToScan: () => go({ type: 'back-to-scan' }),
    scanned,
    enter,
    act,
    isMine: (id) => isOwnRequest(id) || (page.mine.includes(id) && !takenBack.has(id)),
    isLate: (request, now) =>
      canRemind(request, now) &&
      canRemind({ ...request, timestamp: remindedAt.get(request.id) ?? 0 }, Date.now()),
    doneSeen: useCallback((id) => tell({ type: 'done-seen', id }), [tell]),
    sendAnother: () => place && go({ type: 'send-another', visit: checkVisit(place, Date.now()) }),
    reset: async () => {
      if (!place || !(await resetVisit(place))) return setNotice({ text: noConnectionText })
      go({ type: 'reset' })
      refresh()
    },
  }
}

const noopSubscribe = () => () => {}
const getNoTaps = () => noTaps

/** Only what is so: nobody is told twice in a minute, or where no screen listens. */
function reminderText({ stillWaiting = 1 }: ServiceRequest, told: boolean, listening: boolean): string {
  if (!told) return 'The crew was told less than a minute ago.'
  if (!listening) return 'It is noted, but no staff screen is on. Please wave to your waiter.'
  return stillWaiting > 1
    ? "We told the crew again that you're still waiting."
    : "We told the crew that you're still waiting."
}

const errorText = (problem: unknown): string =>
  problem instanceof ApiError ? problem.message : noConnectionText
