import { type Dispatch, type RefObject, useCallback, useEffect, useReducer, useRef, useState } from 'react'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { onWake } from '../../../lib/browser/on-wake.ts'
import { CallError, fetchTableRequests } from '../guest-calls.ts'
import type { Place } from '../guest-flow.ts'
import { refusalOf } from '../language.ts'
import { ownNeeds } from '../menu/own-needs.ts'
import { isOwnRequest, recallCodeProof, recallOwnNote, rememberOwnRequest } from '../taps/guest-storage.ts'
import type { GuestChannel } from './guest-channel.ts'
import { type TableEvent, type TableRequests, tableRequestsReducer } from './table-requests.ts'

/** How often to poll while the live channel is away, and while polls fail too. */
const pollIntervalMs = 20_000
const retryIntervalMs = 5_000
/** Longer than a restart of the server takes. */
const connectionGraceMs = 3_000

/** With the proof of a code that this device has scanned, if there is one. */
export const toTableQuery = ({ restaurantId, tableNumber, k }: Place) => {
  const proof = k ?? recallCodeProof(restaurantId, tableNumber)
  return { restaurantId, tableNumber, ...(proof !== null && { k: proof }) }
}

export type TableState = {
  table: TableRequests
  /** Whether the server answered the last call. */
  reachable: boolean
  dispatch: Dispatch<TableEvent>
  /** Applies the request in the answer to a call that was made at `since`, and whether anybody listens. */
  applyAnswer: (request: ServiceRequest, since: number, listening?: unknown) => void
  refresh: () => void
}

/** Its own may have joined another party's while this page was not told. */
function rememberAsOwn(ids: readonly string[] = []): void {
  for (const id of ids) if (!isOwnRequest(id)) rememberOwnRequest(id, Date.now())
}

/** The open requests of the guest's table, from the live channel; polled while that is away and on waking up. */
export function useTableRequests(
  place: Place | null,
  initial: TableRequests,
  live: GuestChannel | undefined,
): TableState {
  const [table, apply] = useReducer(tableRequestsReducer, initial)
  const [reachable, setReachable] = useState(true)
  const messageCount = useRef(0)
  /** When the guest last changed something: a list that was asked for before does not know of it. */
  const changedAt = useRef(-Infinity)
  /** When all requests that the server last sent were asked for, and when it sent single ones, and who listens. */
  const receivedAt = useRef({ all: -Infinity, byId: new Map<string, number>(), presence: -Infinity })
  const { restaurantId, tableNumber, k = null } = place ?? {}
  const current = useRef<() => void>(null)
  const isAsking = useRef(initial.asking)
  /** What the server announced could not be fetched. */
  const isStale = useRef(false)

  const refresh = useCallback(() => {
    if (restaurantId === undefined || tableNumber === undefined) return
    const countBefore = messageCount.current
    const askedAt = Date.now()
    fetchTableRequests(toTableQuery({ restaurantId, tableNumber, k })).then(
      (table) => {
        setReachable(true)
        if (current.current !== refresh) return
        // A message that came meanwhile may be newer than this answer, and what the guest did is.
        if (messageCount.current !== countBefore) return refresh()
        receivedAt.current.all = askedAt
        isStale.current = false
        rememberAsOwn(table.mine)
        apply({ type: 'snapshot', ...table })
      },
      (error: unknown) => {
        const status = error instanceof CallError ? error.status : null
        const isRefusal = status !== null && status > 0 && status < 500
        setReachable(isRefusal)
        if (current.current !== refresh) return
        isStale.current = true
        const isGone = refusalOf(error)?.code === 'not_found'
        // What the kept page cannot know or understand, the server's own page can.
        const isLost = isAsking.current && (status === null || (isRefusal && status !== 429))
        if (isGone || isLost) location.reload()
      },
    )
  }, [restaurantId, tableNumber, k])
  const dispatch = useCallback((event: TableEvent) => {
    messageCount.current += 1
    changedAt.current = Date.now()
    apply(event)
  }, [])
  useEffect(() => {
    // Answers about an earlier table come too late.
    current.current = refresh
    isAsking.current = table.asking
  }, [refresh, table.asking])

  useEffect(() => {
    // The server has forgotten the code with the visit, but this device may still have its proof.
    if (initial.barrier === 'code_required' || isAsking.current) refresh()
  }, [initial.barrier, refresh])

  useEffect(() => {
    if (!live || restaurantId === undefined || tableNumber === undefined) return
    const stopListening = live.onMessage((message) => {
      messageCount.current += 1
      setReachable(true)
      const received = receivedAt.current
      if (message.type === 'presence') received.presence = Date.now()
      if (message.type === 'request-updated') received.byId.set(message.request.id, Date.now())
      if (message.type === 'request-completed') {
        received.byId.set(message.id, Date.now())
        if (message.mergedInto !== undefined && isOwnRequest(message.id))
          rememberOwnRequest(message.mergedInto, Date.now(), recallOwnNote(message.id) || undefined)
      }
      if (message.type === 'ack' && message.requests) {
        if (changedAt.current >= live.askedAt) return refresh()
        received.all = live.askedAt
        rememberAsOwn(message.mine)
      }
      const isMissingPart = message.type === 'ack' && message.needs && !ownNeeds.part
      if (message.type === 'table-changed' || isMissingPart) refresh()
      apply(message)
    })
    const close = live.open()
    return () => {
      stopListening()
      close()
    }
  }, [live, restaurantId, tableNumber, k, refresh])

  const { movedTo } = table
  const isOver = table.barrier === 'visit_expired'
  useEffect(() => {
    if (!live || restaurantId === undefined || tableNumber === undefined) return
    // Again after a move, and when the visit ends or goes on: the server knows what the page may follow now.
    live.followTable(toTableQuery({ restaurantId, tableNumber, k }))
    return () => live.followTable(null)
  }, [live, restaurantId, tableNumber, k, movedTo, isOver])

  usePolling(live, isStale, refresh, reachable ? pollIntervalMs : retryIntervalMs)

  const applyAnswer = useCallback(
    (request: ServiceRequest, since: number, listening?: unknown) => {
      const { all, byId, presence } = receivedAt.current
      // A slow answer is older than what the live channel has sent meanwhile.
      const isNewer = (byId.get(request.id) ?? -Infinity) < since
      if (all >= since) {
        // It may also be newer than that list, which then lacks it.
        if (isNewer) dispatch({ type: 'answered', request })
        return refresh()
      }
      if (isNewer) dispatch({ type: 'request-updated', request })
      if (typeof listening === 'boolean' && presence < since) dispatch({ type: 'presence', listening })
    },
    [refresh, dispatch],
  )

  return { table, reachable, dispatch, applyAnswer, refresh }
}

/** Polls while the live channel is away or a refresh has failed, and on waking up. */
function usePolling(
  live: GuestChannel | undefined,
  isStale: RefObject<boolean>,
  refresh: () => void,
  intervalMs: number,
): void {
  useEffect(() => {
    const poll = (): void => {
      if ((!live?.isLive || isStale.current) && document.visibilityState === 'visible') refresh()
    }
    const interval = setInterval(poll, intervalMs)
    let grace: ReturnType<typeof setTimeout> | undefined
    const stopWatching = live?.onConnectionChange(() => {
      clearTimeout(grace)
      grace = setTimeout(poll, connectionGraceMs)
    })
    const stopWaking = onWake(refresh)
    return () => {
      clearInterval(interval)
      clearTimeout(grace)
      stopWatching?.()
      stopWaking()
    }
  }, [live, isStale, refresh, intervalMs])
}
