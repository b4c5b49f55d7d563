import { type Dispatch, useCallback, useEffect, useReducer, useRef } from 'react'
import { api } from '#contract/api.ts'
import type { ServiceRequest } from '#contract/requests.ts'
import { call } from '../../api/http.ts'
import type { Live } from '../../api/live.ts'
import type { Place } from './guest-flow.ts'
import { type TableEvent, type TableRequests, tableRequests } from './table-requests.ts'

/** How often the server is asked while the live channel is away. */
const askEveryMs = 20_000

export const requestsAt = ({ restaurantId, tableNumber }: Pick<Place, 'restaurantId' | 'tableNumber'>) =>
  call(api.requests.mine, { query: { restaurantId, tableNumber } })

type Table = {
  table: TableRequests
  tell: Dispatch<TableEvent>
  /** A request as the server answered a call that was made at `since`. */
  answered: (request: ServiceRequest, since: number) => void
  refresh: () => void
}

/** The open requests of the guest's table: told live, and asked for when the page wakes up or nobody tells. */
export function useTableRequests(place: Place | null, initial: TableRequests, live: Live | undefined): Table {
  const [table, dispatch] = useReducer(tableRequests, initial)
  const told = useRef(0)
  /** When the server last told of all requests, and of single ones. */
  const heardAt = useRef({ all: -Infinity, of: new Map<string, number>() })
  const { restaurantId, tableNumber } = place ?? {}

  const refresh = useCallback(() => {
    if (restaurantId === undefined || tableNumber === undefined) return
    const before = told.current
    requestsAt({ restaurantId, tableNumber }).then(
      ({ requests, listening }) => {
        // What was told meanwhile is newer than this answer may be.
        if (told.current !== before) return refresh()
        heardAt.current.all = Date.now()
        dispatch({ type: 'snapshot', requests, listening })
      },
      () => {},
    )
  }, [restaurantId, tableNumber])

  useEffect(() => {
    if (!live || restaurantId === undefined || tableNumber === undefined) return
    const stopListening = live.onMessage((message) => {
      told.current += 1
      const heard = heardAt.current
      if (message.type === 'request-updated') heard.of.set(message.request.id, Date.now())
      if (message.type === 'request-completed') heard.of.set(message.id, Date.now())
      if (message.type === 'ack' && message.requests) heard.all = Date.now()
      dispatch(message)
    })
    live.setContext({ type: 'set-restaurant-context', restaurantId, tableNumber })
    const release = live.hold()
    return () => {
      stopListening()
      live.forgetContext('set-restaurant-context')
      release()
    }
  }, [live, restaurantId, tableNumber])

  useEffect(() => {
    const wake = (): void => {
      if (document.visibilityState === 'visible') refresh()
    }
    const comeBack = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) wake()
    }
    const timer = setInterval(() => {
      if (live?.connection.state !== 'live') wake()
    }, askEveryMs)
    document.addEventListener('visibilitychange', wake)
    addEventListener('pageshow', comeBack)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('pageshow', comeBack)
    }
  }, [live, refresh])

  const answered = useCallback(
    (request: ServiceRequest, since: number) => {
      const { all, of } = heardAt.current
      // An answer that was long on its way is older than what was told meanwhile.
      if (all >= since) refresh()
      else if ((of.get(request.id) ?? -Infinity) < since) dispatch({ type: 'request-updated', request })
    },
    [refresh],
  )

  return { table, tell: dispatch, answered, refresh }
}
