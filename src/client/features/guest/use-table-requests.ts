import { type Dispatch, useCallback, useEffect, useReducer, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import type { ServiceRequest } from '#contract/requests.ts'
import { ApiError, call } from '../../api/http.ts'
import type { LiveChannel } from '../../api/live-channel.ts'
import { onWake } from '../../lib/on-wake.ts'
import type { Place } from './guest-flow.ts'
import { recallCodeProof } from './guest-storage.ts'
import { type TableEvent, type TableRequests, tableRequestsReducer } from './table-requests.ts'

/** How often to poll while the live channel is away, and while polls fail too. */
const pollIntervalMs = 20_000
const retryIntervalMs = 5_000
/** Longer than a restart of the server takes. */
const connectionGraceMs = 3_000

/** With the proof of a code that this device has scanned, if there is one. */
const toTableQuery = ({ restaurantId, tableNumber, k }: Place) => {
  const proof = k ?? recallCodeProof(restaurantId, tableNumber)
  return { restaurantId, tableNumber, ...(proof !== null && { k: proof }) }
}

export const fetchTableRequests = (place: Place) => call(api.requests.mine, { query: toTableQuery(place) })

export type TableState = {
  table: TableRequests
  /** Whether the server answered the last call. */
  reachable: boolean
  dispatch: Dispatch<TableEvent>
  /** Applies the request in the answer to a call that was made at `since`. */
  applyAnswer: (request: ServiceRequest, since: number) => void
  refresh: () => void
}

/** The open requests of the guest's table, from the live channel; polled while that is away and on waking up. */
export function useTableRequests(
  place: Place | null,
  initial: TableRequests,
  live: LiveChannel | undefined,
): TableState {
  const [table, dispatch] = useReducer(tableRequestsReducer, initial)
  const [reachable, setReachable] = useState(true)
  const messageCount = useRef(0)
  /** When the server last sent all requests, and single ones. */
  const receivedAt = useRef({ all: -Infinity, byId: new Map<string, number>() })
  const { restaurantId, tableNumber, k = null } = place ?? {}

  const refresh = useCallback(() => {
    if (restaurantId === undefined || tableNumber === undefined) return
    const countBefore = messageCount.current
    fetchTableRequests({ restaurantId, tableNumber, k }).then(
      (table) => {
        setReachable(true)
        // A message that came meanwhile may be newer than this answer.
        if (messageCount.current !== countBefore) return refresh()
        receivedAt.current.all = Date.now()
        dispatch({ type: 'snapshot', ...table })
      },
      (error: unknown) => setReachable(error instanceof ApiError && error.status > 0 && error.status < 500),
    )
  }, [restaurantId, tableNumber, k])

  useEffect(() => {
    // The server has forgotten the code with the visit, but this device may still have its proof.
    if (initial.barrier === 'code_required') refresh()
  }, [initial.barrier, refresh])

  useEffect(() => {
    if (!live || restaurantId === undefined || tableNumber === undefined) return
    const stopListening = live.onMessage((message) => {
      messageCount.current += 1
      setReachable(true)
      const received = receivedAt.current
      if (message.type === 'request-updated') received.byId.set(message.request.id, Date.now())
      if (message.type === 'request-completed') received.byId.set(message.id, Date.now())
      if (message.type === 'ack' && message.requests) received.all = Date.now()
      if (message.type === 'table-changed') refresh()
      else dispatch(message)
    })
    live.setContext({ type: 'set-restaurant-context', ...toTableQuery({ restaurantId, tableNumber, k }) })
    const release = live.acquire()
    return () => {
      stopListening()
      live.clearContext('set-restaurant-context')
      release()
    }
  }, [live, restaurantId, tableNumber, k, refresh])

  usePolling(live, refresh, reachable ? pollIntervalMs : retryIntervalMs)

  const applyAnswer = useCallback(
    (request: ServiceRequest, since: number) => {
      const { all, byId } = receivedAt.current
      // A slow answer is older than what the live channel has sent meanwhile.
      if (all >= since) refresh()
      else if ((byId.get(request.id) ?? -Infinity) < since) dispatch({ type: 'request-updated', request })
    },
    [refresh],
  )

  return { table, reachable, dispatch, applyAnswer, refresh }
}

/** Polls while the live channel is away, and on waking up. */
function usePolling(live: LiveChannel | undefined, refresh: () => void, intervalMs: number): void {
  useEffect(() => {
    const poll = (): void => {
      if (live?.connection.state !== 'live' && document.visibilityState === 'visible') refresh()
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
  }, [live, refresh, intervalMs])
}
