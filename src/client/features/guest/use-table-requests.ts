import { type Dispatch, useCallback, useEffect, useReducer, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import type { ServiceRequest } from '#contract/requests.ts'
import { ApiError, call } from '../../api/http.ts'
import type { LiveChannel } from '../../api/live-channel.ts'
import type { Place } from './guest-flow.ts'
import { recallCodeProof } from './guest-storage.ts'
import { type TableEvent, type TableRequests, tableRequestsReducer } from './table-requests.ts'

/** How often the server is asked while the live channel is away, and while it did not answer either. */
const pollIntervalMs = 20_000
const retryIntervalMs = 5_000
/** A restart of the server is over sooner. */
const connectionGraceMs = 3_000

/** With the proof of a code that this device has scanned. */
const toTableQuery = ({ restaurantId, tableNumber, k }: Place) => {
  const proof = k ?? recallCodeProof(restaurantId, tableNumber)
  return { restaurantId, tableNumber, ...(proof !== null && { k: proof }) }
}

export const fetchTableRequests = (place: Place) => call(api.requests.mine, { query: toTableQuery(place) })

type TableState = {
  table: TableRequests
  /** Whether the server answered when it was last asked. */
  reachable: boolean
  dispatch: Dispatch<TableEvent>
  /** A request as the server answered a call that was made at `since`. */
  applyAnswer: (request: ServiceRequest, since: number) => void
  refresh: () => void
}

/** The open requests of the guest's table: told live, and asked for when the page wakes up or nobody tells. */
export function useTableRequests(
  place: Place | null,
  initial: TableRequests,
  live: LiveChannel | undefined,
): TableState {
  const [table, dispatch] = useReducer(tableRequestsReducer, initial)
  const [reached, setReached] = useState(true)
  const told = useRef(0)
  /** When the server last told of all requests, and of single ones. */
  const heardAt = useRef({ all: -Infinity, of: new Map<string, number>() })
  const { restaurantId, tableNumber, k = null } = place ?? {}

  const refresh = useCallback(() => {
    if (restaurantId === undefined || tableNumber === undefined) return
    const before = told.current
    fetchTableRequests({ restaurantId, tableNumber, k }).then(
      (table) => {
        setReached(true)
        // What was told meanwhile is newer than this answer may be.
        if (told.current !== before) return refresh()
        heardAt.current.all = Date.now()
        dispatch({ type: 'snapshot', ...table })
      },
      (problem: unknown) =>
        setReached(problem instanceof ApiError && problem.status > 0 && problem.status < 500),
    )
  }, [restaurantId, tableNumber, k])

  useEffect(() => {
    // After a visit the server does not know the code that this device still keeps.
    if (initial.barrier === 'code_required') refresh()
  }, [initial.barrier, refresh])

  useEffect(() => {
    if (!live || restaurantId === undefined || tableNumber === undefined) return
    const stopListening = live.onMessage((message) => {
      told.current += 1
      setReached(true)
      const heard = heardAt.current
      if (message.type === 'request-updated') heard.of.set(message.request.id, Date.now())
      if (message.type === 'request-completed') heard.of.set(message.id, Date.now())
      if (message.type === 'ack' && message.requests) heard.all = Date.now()
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

  useEffect(() => {
    const wake = (): void => {
      if (document.visibilityState === 'visible') refresh()
    }
    const comeBack = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) wake()
    }
    const askUnlessTold = (): void => {
      if (live?.connection.state !== 'live') wake()
    }
    const timer = setInterval(askUnlessTold, reached ? pollIntervalMs : retryIntervalMs)
    let lost: ReturnType<typeof setTimeout> | undefined
    const stopWatching = live?.onConnectionChange(() => {
      clearTimeout(lost)
      lost = setTimeout(askUnlessTold, connectionGraceMs)
    })
    addEventListener('online', wake)
    document.addEventListener('visibilitychange', wake)
    addEventListener('pageshow', comeBack)
    return () => {
      clearInterval(timer)
      clearTimeout(lost)
      stopWatching?.()
      removeEventListener('online', wake)
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('pageshow', comeBack)
    }
  }, [live, refresh, reached])

  const answered = useCallback(
    (request: ServiceRequest, since: number) => {
      const { all, of } = heardAt.current
      // An answer that was long on its way is older than what was told meanwhile.
      if (all >= since) refresh()
      else if ((of.get(request.id) ?? -Infinity) < since) dispatch({ type: 'request-updated', request })
    },
    [refresh],
  )

  return { table, reachable: reached, dispatch, applyAnswer: answered, refresh }
}
